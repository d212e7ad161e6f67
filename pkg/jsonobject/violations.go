package jsonobject

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/problem"
)

// violations adds to a problem every part of a valid JSON value that its Go type does not take. It reads each part by
// itself, so that one wrong part hides no other and the work grows with the text alone.
func violations(p *problem.Error, value jsontext.Value, t reflect.Type, pointer jsontext.Pointer) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind := value.Kind()
	switch {
	case kind == jsontext.KindNull:
	case reflect.PointerTo(t).Implements(unmarshaler):
		var wrong *json.SemanticError
		if err := json.Unmarshal(value, reflect.New(t).Interface()); errors.As(err, &wrong) && wrong.Err != nil {
			_ = at(p, pointer, wrong.Err.Error()) // the type's own words
		} else if err != nil {
			_ = at(p, pointer, "has the wrong type")
		}
	case t.Kind() == reflect.Struct:
		if kind != jsontext.KindBeginObject {
			_ = at(p, pointer, "must be an object")
			return
		}
		inObject(p, value, t, pointer)
	case t.Kind() == reflect.Slice:
		if kind != jsontext.KindBeginArray {
			_ = at(p, pointer, "must be an array")
			return
		}
		inList(p, value, t.Elem(), pointer)
	case t.Kind() == reflect.String:
		if kind != jsontext.KindString {
			_ = at(p, pointer, typeReason(t))
		}
	default:
		if err := json.Unmarshal(value, reflect.New(t).Interface()); err != nil {
			_ = at(p, pointer, typeReason(t))
		}
	}
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// typeReason says in words what a value of a type must be.
func typeReason(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "must be a string"
	case reflect.Bool:
		return "must be true or false"
	default:
		return "has the wrong type"
	}
}

func inObject(p *problem.Error, object jsontext.Value, t reflect.Type, pointer jsontext.Pointer) {
	all, err := Members(object)
	if err != nil {
		_ = at(p, pointer, "must be an object")
		return
	}
	types := memberTypes(t)
	for _, m := range all {
		if of, named := types[m.Name]; named {
			violations(p, m.Value, of, pointer.AppendToken(m.Name))
		}
	}
}

func inList(p *problem.Error, list jsontext.Value, of reflect.Type, pointer jsontext.Pointer) {
	dec := decoder(list)
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	// A list of JSON values that are kept as they are holds null like any other.
	takesNull := of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Uint8
	for i := 0; dec.PeekKind() != jsontext.KindEndArray; i++ {
		element, err := dec.ReadValue()
		if err != nil {
			return
		}
		where := pointer.AppendToken(strconv.Itoa(i))
		if element.Kind() == jsontext.KindNull && !takesNull {
			_ = at(p, where, "must not be null")
			continue
		}
		violations(p, element, of, where)
	}
}

var memberTypesOf sync.Map // reflect.Type -> map[string]reflect.Type

// memberTypes returns the types of a struct's JSON members by name. Members of embedded structs count as its own.
func memberTypes(t reflect.Type) map[string]reflect.Type {
	if value, ok := memberTypesOf.Load(t); ok {
		return value.(map[string]reflect.Type)
	}
	types := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && field.IsExported() {
			types[name] = field.Type
		}
	}
	memberTypesOf.Store(t, types)
	return types
}
