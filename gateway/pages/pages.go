// Package pages holds the public pages of the exchange: the OpenAPI document, a viewer for it, a getting-started
// page, a page about every problem, and the register of what the interface leaves open. Everything that the pages
// load is embedded, so that they work without internet.
package pages

import (
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/register"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
)

//go:embed assets
var assets embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"marked": marked}).ParseFS(assets,
	"assets/*.html"))

// Config is what the pages show of the exchange that serves them.
type Config struct {
	// Sets are the value sets in force. The OpenAPI document lists their values.
	Sets   *valuesets.Registry
	Tokens Tokens
	// Amounts say what amounts are in.
	Amounts openapi.Amounts
}

// Tokens says where a caller gets a bearer token.
type Tokens struct {
	// Local says that the exchange signs the tokens itself, and that the command "exchange token" prints one.
	Local bool
	// Issuer is the identity provider whose tokens are accepted, as it stands in their claim iss. It is empty where the
	// operator has configured none.
	Issuer string
	// URL is where the identity provider issues tokens for client credentials, an absolute http or https URL. It is
	// empty where the operator has configured none.
	URL string
	// Command prints a token, if the exchange signs its own and "exchange token" is not the command for it.
	Command string
	// Organisations says that organisations share the exchange. OtherCommand then prints a token of another one, which
	// is named OtherOrganisation, if the exchange signs its own.
	Organisations bool
	OtherCommand  string
}

// OtherOrganisation is the organisation with which the walks share something.
const OtherOrganisation = "partner"

// New returns the pages by their whole path. Errors: an asset that cannot be read, or a problem without a text.
func New(config Config) (map[string]http.Handler, error) {
	document, err := openapi.Document(config.Sets, config.Tokens.URL, config.Amounts)
	if err != nil {
		return nil, err
	}
	operations, err := readOperations(document)
	if err != nil {
		return nil, err
	}
	all := map[string]http.Handler{
		"/openapi.json": newContent("application/json", document),
		"/openapi-3.0.json": whenAsked(func() (*content, error) {
			earlier, err := openapi.Earlier(document)
			return newContent("application/json", earlier), err
		}),
		"/": redirect("/docs"), "/docs/": redirect("/docs"), "/problems/": redirect("/problems"),
	}
	for _, add := range []func(map[string]http.Handler) error{
		addAssets,
		func(all map[string]http.Handler) error { return addDocs(all, config.Tokens, operations) },
		func(all map[string]http.Handler) error { return addProblems(all, operations) },
	} {
		if err := add(all); err != nil {
			return nil, fmt.Errorf("pages: %w", err)
		}
	}
	return all, nil
}

// redirect sends a reader on to the page at a path.
func redirect(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", revalidate)
		http.Redirect(w, r, to, http.StatusFound)
	})
}

// addAssets adds the files that the pages load.
func addAssets(all map[string]http.Handler) error {
	for name, contentType := range map[string]string{
		"swagger-ui-bundle.js.gz": "text/javascript",
		"swagger-ui.css.gz":       "text/css", "swagger-ui-bundle.js.LICENSE.txt": "text/plain",
		"examples.js": "text/javascript", "viewer.js": "text/javascript", "viewer.css": "text/css",
		"copy.js": "text/javascript", "pages.css": "text/css",
	} {
		path, c, err := asset(name, contentType)
		if err != nil {
			return fmt.Errorf("asset %s: %w", name, err)
		}
		all["/docs/"+path] = c
	}
	return nil
}

// addDocs adds the viewer, the getting-started page and the register.
func addDocs(all map[string]http.Handler, tokens Tokens, operations []operation) error {
	order, err := viewerOrder(operations)
	if err != nil {
		return err
	}
	walks, err := readWalks(tokens.Organisations)
	if err != nil {
		return err
	}
	viewer, err := rendered("docs.html", struct {
		Tokens     Tokens
		Order      string
		Walks      []walk
		Operations []operation
	}{tokens, order, walks, operations})
	if err != nil {
		return err
	}
	viewer.contentSecurity = viewerSecurity(tokens.URL)
	all["/docs"] = viewer

	if all["/docs/start"], err = newStart(tokens, walks); err != nil {
		return err
	}
	items, err := register.Load()
	if err != nil {
		return err
	}
	all["/docs/register"], err = rendered("register.html", items)
	return err
}

// known returns every kind of problem that the exchange sends: those of the interface, then those of HTTP.
func known() []problem.Kind {
	var all []problem.Kind
	for _, t := range problems.All() {
		all = append(all, t)
	}
	return append(all, problem.All()...)
}
