package pages

import (
	"bytes"
	"html/template"
	"net/http"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"

	"insurance.example/exchange/pkg/problem"
)

// walk is a task that the getting-started page takes its reader through.
type walk struct {
	Slug  string
	Title string
	// Clock says that the exchange must have a test clock.
	Clock bool
	// Organisations says that organisations must share the exchange.
	Organisations bool
	About         template.HTML
	Steps         []step
}

// step is one step of a walk: what to paste into a shell, and what it prints.
type step struct {
	Title string
	About template.HTML
	Run   string
	// Output is what Run prints, shortened. "…" is a placeholder for text that differs each time, and members may be
	// left out.
	Output string
}

// start serves the getting-started page. The commands on it have the address at which the reader has reached it.
type start struct{ page []byte }

// address is the placeholder for the URL of the exchange in the page.
const address = "http://exchange.invalid"

// readWalks returns the walks through an exchange that organisations share, or through one that they do not.
func readWalks(organisations bool) (walks []walk, err error) {
	text, err := assets.ReadFile("assets/walks.yaml")
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &walks, yaml.Strict())
	}
	return slices.DeleteFunc(walks, func(w walk) bool { return w.Organisations && !organisations }), err
}

func newStart(tokens Tokens, walks []walk) (*start, error) {
	var page bytes.Buffer
	err := templates.ExecuteTemplate(&page, "start.html", struct {
		Tokens  Tokens
		Address string
		Other   string
		Walks   []walk
	}{tokens, address, OtherOrganisation, walks})
	return &start{page.Bytes()}, err
}

// hostName is what a host and port may look like. The host becomes part of commands that are pasted into a shell, so
// nothing that a shell would interpret may be in it.
var hostName = regexp.MustCompile(`^[A-Za-z0-9.:_\[\]-]+$`)

func (s *start) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !hostName.MatchString(r.Host) {
		problem.Write(w, problem.New(problem.BadHeader, "Host is not the name of a host."))
		return
	}
	w.Header().Add("Vary", "X-Forwarded-Proto")
	scheme := "http://"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https://"
	}
	page := newContent("text/html", bytes.ReplaceAll(s.page, []byte(address), []byte(scheme+r.Host)))
	page.gzipped, page.contentSecurity = nil, pageSecurity // made for one request
	page.ServeHTTP(w, r)
}
