// Package pages are what the exchange says about itself, to people and to programs: the OpenAPI document, a viewer of
// it, a page for every problem, and the register of what the interface leaves open. They need nothing from outside.
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

var templates = template.Must(template.ParseFS(assets, "assets/*.html"))

// New answers the pages by their first path segment, with the value sets in force.
func New(sets *valuesets.Registry) (map[string]http.Handler, error) {
	document, err := openapi.Document(sets)
	if err != nil {
		return nil, err
	}
	described, err := newContent("application/json", document)
	if err != nil {
		return nil, err
	}
	docs, err := newDocs()
	if err != nil {
		return nil, err
	}
	texts, err := problems.Texts()
	if err != nil {
		return nil, err
	}
	registry, err := newRegistry(known(), texts)
	if err != nil {
		return nil, err
	}
	return map[string]http.Handler{"openapi.json": at{"/openapi.json": described}, "docs": docs, "problems": registry}, nil
}

// known answers every kind of problem that the exchange answers with: the interface's own, then those of HTTP.
func known() []problem.Kind {
	var all []problem.Kind
	for _, t := range problems.All() {
		all = append(all, t)
	}
	return append(all, problem.All()...)
}

// at serves handlers by their whole path.
type at map[string]http.Handler

func (a at) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h, ok := a[r.URL.Path]; ok {
		h.ServeHTTP(w, r)
		return
	}
	notFound(w)
}

func notFound(w http.ResponseWriter) { problem.Write(w, problem.New(problem.NotFound, "")) }

// newDocs answers the viewer and the register.
func newDocs() (http.Handler, error) {
	items, err := register.Load()
	if err != nil {
		return nil, err
	}
	docs := at{}
	for path, name := range map[string]string{"/docs": "docs.html", "/docs/register": "register.html"} {
		if docs[path], err = rendered(name, items); err != nil {
			return nil, err
		}
	}
	for name, contentType := range map[string]string{
		"swagger-ui-bundle.js.gz": "text/javascript", "swagger-ui.css.gz": "text/css", "docs.js": "text/javascript",
		"pages.css": "text/css", "swagger-ui-bundle.js.LICENSE.txt": "text/plain",
	} {
		path, c, err := asset(name, contentType)
		if err != nil {
			return nil, fmt.Errorf("asset %s: %w", name, err)
		}
		docs["/docs/"+path] = c
	}
	return docs, nil
}
