package pages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/munnerz/goautoneg"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
)

// entry is what the registry tells of one problem.
type entry struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Row    string `json:"row"`
	Means  string `json:"means"`
	Mend   string `json:"mend"`
}

// registry serves /problems and /problems/{slug}, each as a page and as JSON.
type registry map[string]negotiated // by path

// negotiated is one content in two forms.
type negotiated struct{ json, html *content }

// newRegistry makes the pages. Errors: a kind that has no text.
func newRegistry(known []problem.Kind, texts map[string]problems.Text) (registry, error) {
	r := registry{}
	var all []entry
	for _, kind := range known {
		text, ok := texts[kind.Slug()]
		if own, is := kind.(*problems.Type); is {
			text.Row = own.Row
		}
		if !ok || text.Row == "" {
			return nil, fmt.Errorf("problem %s has no text", kind.Slug())
		}
		one := entry{problem.URI(kind), kind.Title(), kind.Status(), text.Row, text.Means, text.Mend}
		all = append(all, one)
		if err := r.add(one.Type, "problem.html", one); err != nil {
			return nil, err
		}
	}
	return r, r.add("/problems", "problems.html", all)
}

func (r registry) add(path, template string, data any) error {
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return err
	}
	asJSON, err := newContent("application/json", append(text, '\n'))
	if err != nil {
		return err
	}
	asHTML, err := rendered(template, data)
	r[path] = negotiated{asJSON, asHTML}
	return err
}

func (r registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	page, ok := r[strings.TrimSuffix(request.URL.Path, "/")]
	if !ok {
		notFound(w)
		return
	}
	w.Header().Add("Vary", "Accept")
	form := page.json
	if goautoneg.Negotiate(request.Header.Get("Accept"), []string{"application/json", "text/html"}) == "text/html" {
		form = page.html
	}
	form.ServeHTTP(w, request)
}
