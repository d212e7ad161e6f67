package jsonobject

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
)

// Shape is the names of the members that an object may have, each with the shape of its value, or of the elements of
// its value where that is a list. The shape of a value that has no named members is nil.
type Shape map[string]Shape

// ShapeOf returns the shape of the values of a type. Only structs have one.
func ShapeOf(t reflect.Type) Shape {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var shape Shape
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || name == "" || name == "-" {
			continue
		}
		if shape == nil {
			shape = Shape{}
		}
		shape[name] = ShapeOf(field.Type)
	}
	return shape
}

// Unnamed is a member that the shape of its object does not name.
type Unnamed struct {
	// In is the pointer of the object, Name that of the member, and Known the shape.
	In    jsontext.Pointer
	Name  string
	Known Shape
}

// Unnamed returns the members of an object that the shape does not name, and those of the objects in it, up to a number
// of them. The text has been decoded before.
func (s Shape) Unnamed(object []byte, most int) []Unnamed {
	w := walk{most: most}
	w.object(object, "", s)
	return w.found
}

type walk struct {
	most  int
	found []Unnamed
}

func (w *walk) object(text []byte, at jsontext.Pointer, known Shape) {
	members := jsonmember.Read(text)
	for len(w.found) < w.most && members.Next() {
		quoted := members.Quoted()
		inner, named := known[string(quoted[1:max(1, len(quoted)-1)])] // without a copy of the name
		if named && inner == nil {
			continue
		}
		name, err := members.Name()
		if err != nil {
			return
		}
		if inner, named = known[name]; named {
			w.value(members.Value(), at.AppendToken(name), inner)
		} else {
			w.found = append(w.found, Unnamed{at, name, known})
		}
	}
}

// value looks for objects in the value of a member.
func (w *walk) value(text jsontext.Value, at jsontext.Pointer, known Shape) {
	switch {
	case known == nil:
	case text.Kind() == jsontext.KindBeginObject:
		w.object(text, at, known)
	case text.Kind() == jsontext.KindBeginArray:
		for i, n := 1, 0; i < len(text); {
			switch c := text[i]; c {
			case ' ', '\t', '\r', '\n', ',', ']':
				i++
				continue
			}
			end := jsonmember.EndOfValue(text, i)
			if text[i] == '{' {
				w.object(text[i:end], at.AppendToken(strconv.Itoa(n)), known)
			}
			i, n = end, n+1
		}
	}
}
