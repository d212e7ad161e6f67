//go:build !noconsole

package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"insurance.example/exchange/gateway/pages"
)

//go:embed page
var files embed.FS

func init() { page = readPage }

// security lets the page load its own files and call this exchange, and the identity provider that is added at its end.
// Text cannot become a script.
const security = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'; connect-src 'self'"

var contentTypes = map[string]string{"js": "text/javascript", "css": "text/css"}

// readPage returns the handlers of the files. The folder of the files has a name that changes with them, so that a
// browser may keep them for good; only the page that names the folder is asked for each time.
func readPage(config Config) map[string]http.Handler {
	all, sum := map[string]http.Handler{}, sha256.New()
	texts := map[string][]byte{}
	for _, name := range names() {
		text, err := files.ReadFile("page/" + name)
		if err != nil {
			panic(err) // it is a part of the program, and the tests read it
		}
		texts[name] = text
		sum.Write(text)
	}
	folder := Path + "/" + hex.EncodeToString(sum.Sum(nil)[:8]) + "/"
	for name, text := range texts {
		_, suffix, _ := strings.Cut(name, ".")
		if is, has := contentTypes[suffix]; has {
			all[folder+name] = pages.File{ContentType: is, Text: text, Immutable: true}.Handler()
		}
	}
	var index bytes.Buffer
	err := template.Must(template.New("").Parse(string(texts["index.html"]))).Execute(&index, struct {
		Config
		Folder string
		Seed   bool
	}{config, folder, config.Local[SeedPath] != nil})
	if err != nil {
		panic(err)
	}
	served := pages.File{
		ContentType: "text/html", Text: index.Bytes(), Security: security + config.Provider.origins(),
	}.Handler()
	all[Path] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		served.ServeHTTP(w, r)
	})
	return all
}

// names returns the names of the files, in their order: of the console's own and of the libraries.
func names() (all []string) {
	for _, pattern := range []string{"page/*.*", "page/lib/*.js"} {
		paths, err := fs.Glob(files, pattern)
		if err != nil {
			panic(err)
		}
		for _, name := range paths {
			all = append(all, strings.TrimPrefix(name, "page/"))
		}
	}
	return all
}
