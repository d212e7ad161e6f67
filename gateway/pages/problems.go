package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/munnerz/goautoneg"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
)

// described is the description of one problem in the registry.
type described struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Row is the place of the problem in the interface.
	Row   string `json:"row"`
	Means string `json:"means"`
	Mend  string `json:"mend"`
	// Example is a problem document.
	Example json.RawMessage `json:"example"`
	// Operations are those that can return the problem. It is empty for a problem that any request can meet.
	Operations []operation `json:"operations"`
	// Every says that all operations can return it.
	Every bool `json:"-"`
}

// negotiated is one page in two forms. The Accept header of a request chooses one.
type negotiated struct{ json, html http.Handler }

// addProblems adds /problems and a page for each problem. Errors: a kind that has no text.
func addProblems(all map[string]http.Handler, operations []operation) error {
	texts, err := problems.Texts()
	if err != nil {
		return err
	}
	var entries []described
	for _, kind := range known() {
		text, ok := texts[kind.Slug()]
		if own, is := kind.(*problems.Type); is {
			text.Row = own.Row
		}
		if !ok || text.Row == "" || text.Means == "" || text.Mend == "" || text.Example == nil {
			return fmt.Errorf("problem %s has no whole text in contracts/problems/texts.yaml", kind.Slug())
		}
		example, err := exampleOf(kind, *text.Example)
		if err != nil {
			return err
		}
		one := described{
			Type: problem.URI(kind), Title: kind.Title(), Status: kind.Status(), Row: text.Row, Means: text.Means,
			Mend:    text.Mend,
			Example: example, Operations: []operation{},
		}
		for _, o := range operations {
			if slices.Contains(o.problems, one.Type) {
				one.Operations = append(one.Operations, o)
			}
		}
		if one.Every = len(one.Operations) == len(operations); one.Every {
			one.Operations = operations
		}
		entries = append(entries, one)
		all[one.Type] = newNegotiated("problem.html", one)
	}
	slices.SortStableFunc(entries, func(a, b described) int { return a.Status - b.Status })
	all["/problems"] = newNegotiated("problems.html", entries)
	return nil
}

// exampleOf returns the problem document of an example, as the exchange writes it.
func exampleOf(kind problem.Kind, of problems.Example) (json.RawMessage, error) {
	occurrence := problem.New(kind, of.Detail)
	for _, fault := range of.Errors {
		occurrence.Violations = append(occurrence.Violations, problem.Violation(fault))
	}
	for name, value := range of.Members {
		occurrence.With(name, value)
	}
	page := written{header: http.Header{problem.RequestIDHeader: {"479ad613-32e0-4d11-a1d8-0fcbd2b7d8d2"}}}
	problem.Write(&page, occurrence)
	var indented bytes.Buffer
	err := json.Indent(&indented, page.body.Bytes(), "", "  ")
	return indented.Bytes(), err
}

// written is an http.ResponseWriter that keeps the example written to it.
type written struct {
	header http.Header
	body   bytes.Buffer
}

func (w *written) Header() http.Header                  { return w.header }
func (w *written) WriteHeader(int)                      {}
func (w *written) Write(text []byte) (n int, err error) { return w.body.Write(text) }

func newNegotiated(template string, data any) negotiated {
	return negotiated{
		json: whenAsked(func() (*content, error) {
			text, err := json.MarshalIndent(data, "", "  ")
			return newContent("application/json", append(text, '\n')), err
		}),
		html: whenAsked(func() (*content, error) { return rendered(template, data) }),
	}
}

func (n negotiated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	form := n.json
	if goautoneg.Negotiate(r.Header.Get("Accept"), []string{"application/json", "text/html"}) == "text/html" {
		form = n.html
	}
	form.ServeHTTP(w, r)
}

// marked returns a text as HTML, with the words between backquotes as code.
func marked(text string) template.HTML {
	var html strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		html.WriteString(part)
	}
	return template.HTML(html.String()) // every part is escaped above
}
