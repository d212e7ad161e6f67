package contractcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/openapi"
)

const location = "openapi.json"

// document is the OpenAPI document. Its schemas are compiled when they are first needed.
type document struct {
	whole      any
	operations []operation

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by JSON pointer
}

// operation is one method of one path.
type operation struct {
	method  string
	path    *regexp.Regexp
	pointer string // to the operation object
}

// pathParameter is a parameter of a path, quoted for a pattern.
var pathParameter = regexp.MustCompile(`\\\{[A-Za-z]+\\\}`)

func newDocument(text []byte) (*document, error) {
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d := &document{whole: whole, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(location, whole); err != nil {
		return nil, err
	}
	for path, item := range d.object("/paths") {
		// A parameter holds neither a slash nor the colon before an action.
		pattern := pathParameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/:]+`)
		for method := range item.(map[string]any) {
			d.operations = append(d.operations, operation{
				strings.ToUpper(method), regexp.MustCompile("^" + pattern + "$"),
				"/paths/" + escape(path) + "/" + method,
			})
		}
	}
	// A path without a parameter stands before one that has one in its place.
	slices.SortFunc(d.operations, func(a, b operation) int {
		return strings.Count(a.pointer, "{") - strings.Count(b.pointer, "{")
	})
	return d, nil
}

// escaper and unescaper convert between the name of a member and a token of a JSON pointer (RFC 6901). They are shared
// because a replacer is safe for concurrent use, and expensive to make.
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// escape returns a member name as a token of a JSON pointer.
func escape(name string) string { return escaper.Replace(name) }

// at returns the value at a JSON pointer, or nil if there is none. where is the pointer to it after following
// references.
func (d *document) at(pointer string) (value any, where string) {
	value, where = d.whole, ""
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		object, is := value.(map[string]any)
		if !is {
			return nil, where
		}
		value, where = object[unescaper.Replace(token)], where+"/"+token
		if object, is := value.(map[string]any); is {
			if ref, refers := object["$ref"].(string); refers {
				value, where = d.at(strings.TrimPrefix(ref, "#"))
			}
		}
	}
	return value, where
}

func (d *document) object(pointer string) map[string]any {
	value, _ := d.at(pointer)
	object, _ := value.(map[string]any)
	return object
}

// find returns the operation of a request, or nil if the document does not have it. A HEAD request has the operation
// of GET.
func (d *document) find(request *http.Request) *operation {
	method := request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for i := range d.operations {
		if o := &d.operations[i]; o.method == method && o.path.MatchString(request.URL.Path) {
			return o
		}
	}
	return nil
}

// check compares a request and its response with the document. It compares the request only if it was accepted.
func (d *document) check(request *http.Request, sent []byte, response *http.Response, body []byte) error {
	if strings.HasPrefix(request.URL.Path, internalapi.Prefix+"/") {
		return nil // the request goes to a service; the document describes only what the gateway routes
	}
	o := d.find(request)
	if o == nil {
		if response.StatusCode < 400 {
			return errors.New("the operation is not in it")
		}
		return d.validate("/components/schemas/Problem", body)
	}
	if response.StatusCode == http.StatusRequestHeaderFieldsTooLarge {
		// The document says once, under its limits, that every operation may return it.
		return d.validate("/components/schemas/Problem", body)
	}
	// A dry run accepts any request, because its response says what is wrong with it.
	if response.StatusCode < 300 && request.URL.Path != "/x/claim/admissibility" {
		if err := d.checkRequest(o, request, sent); err != nil {
			return fmt.Errorf("the accepted request: %w", err)
		}
	}
	pointer := o.pointer + "/responses/" + strconv.Itoa(response.StatusCode)
	if d.object(pointer) == nil {
		return errors.New("the status is not in it")
	}
	for name := range d.object(pointer + "/headers") {
		header := d.object(pointer + "/headers/" + name)
		if header["required"] == true && response.Header.Get(name) == "" {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	if request.Method == http.MethodHead {
		return nil
	}
	content := d.object(pointer + "/content")
	if content == nil {
		if len(body) > 0 {
			return errors.New("it has no body there")
		}
		return nil
	}
	mediaType := response.Header.Get("Content-Type")
	if content[mediaType] == nil {
		return fmt.Errorf("the media type %q is not in it", mediaType)
	}
	if !strings.Contains(mediaType, "json") {
		return nil // a file
	}
	if err := d.validate(pointer+"/content/"+escape(mediaType)+"/schema", body); err != nil ||
		response.StatusCode < 400 {
		return err
	}
	return d.checkProblem(o, response.StatusCode, body)
}

// checkProblem returns an error if the problem of a response is not one that the operation may return.
func (d *document) checkProblem(o *operation, status int, body []byte) error {
	var p struct {
		Type   string `json:"type"`
		Status int    `json:"status"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	if p.Status != status {
		return fmt.Errorf("the problem has the status %d", p.Status)
	}
	allowed, _ := d.object(o.pointer)[openapi.ProblemsExtension].([]any)
	if !slices.Contains(allowed, any(p.Type)) {
		return fmt.Errorf("the type %s is none of the operation's problems", p.Type)
	}
	return nil
}

func (d *document) checkRequest(o *operation, request *http.Request, sent []byte) error {
	known := map[string]bool{}
	value, _ := d.at(o.pointer + "/parameters")
	list, _ := value.([]any)
	for _, parameter := range list {
		object := parameter.(map[string]any)
		if ref, refers := object["$ref"].(string); refers {
			object = d.object(strings.TrimPrefix(ref, "#"))
		}
		if object["in"] == "query" {
			known[object["name"].(string)] = true
		}
	}
	for name := range request.URL.Query() {
		if !known[name] {
			return fmt.Errorf("the parameter %s is not in it", name)
		}
	}
	described := d.object(o.pointer + "/requestBody")
	switch {
	case described == nil && len(sent) > 0:
		return errors.New("it has no body there")
	case described != nil && len(sent) == 0 && described["required"] == true:
		return errors.New("it requires a body")
	case described == nil || len(sent) == 0:
		return nil
	}
	is, _, _ := strings.Cut(request.Header.Get("Content-Type"), ";")
	schema := o.pointer + "/requestBody/content/" + escape(is) + "/schema"
	if of := d.object(schema); of != nil && of["format"] == "binary" {
		return nil // a file
	}
	return d.validate(o.pointer+"/requestBody/content/application~1json/schema", sent)
}

// validate returns an error if a JSON text does not match the schema at a pointer.
func (d *document) validate(pointer string, text []byte) error {
	_, where := d.at(pointer)
	schema, err := d.compile(where)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(instance)
}

func (d *document) compile(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if schema := d.compiled[pointer]; schema != nil {
		return schema, nil
	}
	schema, err := d.compiler.Compile(location + "#" + pointer)
	if err == nil {
		d.compiled[pointer] = schema
	}
	return schema, err
}
