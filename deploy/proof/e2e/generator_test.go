package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// generatedRequest is what is to be sent. Body is nil for none. Headers are names and values in turn.
type generatedRequest struct {
	Method, Path string
	Body         []byte
	Headers      []string
}

func (r generatedRequest) String() string {
	const most = 2000
	return fmt.Sprintf("%s %s %q\n%s", r.Method, r.Path, r.Headers, r.Body[:min(len(r.Body), most)])
}

// generator makes requests. It is for one goroutine.
type generator struct {
	random     *rand.Rand
	operations []operation
	// seen holds values of members of the records that it has learnt, by the name of the member, and ids by resource.
	seen map[string][]string
}

// operation is one that the document describes.
type operation struct {
	method, path string
	*openapi3.Operation
	schema  *openapi3.Schema // of the body; nil for none
	example map[string]any
}

// newGenerator returns a generator of requests to the operations of a document.
func newGenerator(doc *openapi3.T, seed uint64) (*generator, error) {
	g := &generator{random: rand.New(rand.NewPCG(seed, 0)), seen: map[string][]string{}}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			o := operation{method: method, path: path, Operation: methods[method]}
			if o.RequestBody != nil {
				content := o.RequestBody.Value.Content.Get("application/json")
				if content == nil && len(o.RequestBody.Value.Content) > 0 {
					continue // a file, of which the document has no members
				}
				if content == nil || content.Schema == nil {
					return nil, fmt.Errorf("%s %s: the document says nothing of the body", method, path)
				}
				o.schema = content.Schema.Value
				o.example, _ = content.Example.(map[string]any)
			}
			g.operations = append(g.operations, o)
		}
	}
	return g, nil
}

// Learn gives the generator a record, so that other requests name it.
func (g *generator) Learn(path string, record map[string]any) {
	resource, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for name, value := range record {
		text, ok := value.(string)
		if !ok || text == "" {
			continue
		}
		switch {
		case name == "id":
			g.keep(resource, text)
		case strings.HasSuffix(name, "Number"), strings.HasSuffix(name, "Id"):
			g.keep(name, text)
		}
	}
}

func (g *generator) keep(name, value string) {
	const most = 50
	if known := g.seen[name]; len(known) < most && !slices.Contains(known, value) {
		g.seen[name] = append(known, value)
	}
}

// Next returns the next request. Creations are more frequent, because they have the most to vary.
func (g *generator) Next() generatedRequest {
	o := pick(g, g.operations)
	for range 3 {
		// A request without a body, or for an unknown record, has little to vary.
		if o.schema == nil && g.chance(2) || strings.Contains(o.path, "{id}") && len(g.seen[resourceOf(o.path)]) == 0 {
			o = pick(g, g.operations)
		}
	}
	r := generatedRequest{Method: o.method, Path: g.path(o)}
	for _, parameter := range o.Parameters {
		if parameter.Value.In == openapi3.ParameterInHeader && g.chance(4) {
			r.Headers = append(r.Headers, parameter.Value.Name, g.header(parameter.Value.Name))
		}
	}
	if o.schema != nil {
		r.Body = g.body(o)
		if g.chance(30) {
			r.Headers = append(r.Headers, "Content-Type", pick(g, contentTypes))
		}
	}
	return r
}

// resourceOf returns the resource that a path is about: /claim/{id} and /x/history/claim/{id} are about claim.
func resourceOf(path string) string {
	parts := strings.Split(path, "/")
	if parts[1] == "x" && len(parts) > 3 {
		return parts[3]
	}
	return parts[1]
}

// path fills in the path of an operation, and adds parameters.
func (g *generator) path(o operation) string {
	resource, path := resourceOf(o.path), o.path
	for strings.Contains(path, "{") {
		begin, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		value := g.known(resource)
		if path[begin:end+1] != "{id}" {
			value = g.known(path[begin+1 : end])
		}
		if g.chance(8) {
			value = pick(g, texts)
		}
		path = path[:begin] + url.PathEscape(value) + path[end+1:]
	}
	query := url.Values{}
	for _, parameter := range o.Parameters {
		if parameter.Value.In == openapi3.ParameterInQuery && (parameter.Value.Required || g.chance(5)) {
			query.Add(parameter.Value.Name, g.parameter(parameter.Value))
		}
	}
	// Only in requests whose parameters are all known: elsewhere further ones are ignored.
	if o.method == http.MethodGet && g.chance(15) {
		query.Add(pick(g, names), pick(g, texts))
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// parameter returns a value of a parameter in the query.
func (g *generator) parameter(p *openapi3.Parameter) string {
	switch {
	case g.chance(3):
		return pick(g, texts)
	case p.Schema != nil && p.Schema.Value != nil:
		if value := g.value(p.Name, p.Schema.Value, 0); value != nil {
			return fmt.Sprint(value)
		}
	}
	return g.known(p.Name)
}

func (g *generator) header(name string) string {
	if name == "Idempotency-Key" && !g.chance(3) {
		return "key " + strconv.Itoa(g.random.IntN(50))
	}
	if !g.chance(3) {
		return `"` + strconv.Itoa(g.random.IntN(4)) + `"`
	}
	return pick(g, headers)
}

// known returns a value of a known record for a member that refers to one.
func (g *generator) known(name string) string {
	for _, as := range []string{name, strings.TrimSuffix(strings.TrimSuffix(name, "s"), "Id")} {
		if values := g.seen[as]; len(values) > 0 {
			return pick(g, values)
		}
	}
	if name == "policyholderId" || strings.HasSuffix(name, "Ids") || g.chance(3) {
		for _, as := range []string{"personal", "business", "policyholder"} {
			if values := g.seen[as]; len(values) > 0 && g.chance(2) {
				return pick(g, values)
			}
		}
	}
	return "0195a000-0000-7000-8000-00000000ffff"
}

func (g *generator) chance(n int) bool { return g.random.IntN(n) == 0 }

func pick[T any](g *generator, from []T) T { return from[g.random.IntN(len(from))] }

// body returns the body of a request: mostly the example, or one made from the schema, with some changes.
func (g *generator) body(o operation) []byte {
	if g.chance(40) {
		return []byte(pick(g, bodies))
	}
	var members map[string]any
	if o.example != nil && !g.chance(3) {
		members = g.renewed(o.example, o.schema)
	} else {
		members, _ = g.value("", o.schema, 0).(map[string]any)
	}
	if members == nil {
		members = map[string]any{}
	}
	for g.chance(2) {
		g.spoil(members, o.schema)
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // there are only values of JSON in it
	}
	if g.chance(40) && len(text) > 2 { // a member twice
		text = append([]byte(`{`+strconv.Quote(pick(g, slices.Sorted(maps.Keys(members))))+`:1,`), text[1:]...)
	}
	return text
}
