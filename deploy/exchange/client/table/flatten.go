package table

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/resource"
)

// Flatten returns the cells of a record, which must be a JSON object. An array is one cell, and so is an object
// without members.
func (c Columns) Flatten(record jsontext.Value) ([]Cell, error) {
	if record.Kind() != jsontext.KindBeginObject {
		return nil, fmt.Errorf("a record is a JSON object, not %s", record.Kind())
	}
	return c.flatten(nil, "", record)
}

func (c Columns) flatten(cells []Cell, parent string, object jsontext.Value) ([]Cell, error) {
	dec := jsontext.NewDecoder(strings.NewReader(string(object)))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if parent != "" && dec.PeekKind() == jsontext.KindEndObject {
		return append(cells, Cell{parent, object.Clone()}), nil
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		column := resource.Join(parent, name.String())
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if value.Kind() == jsontext.KindBeginObject {
			cells, err = c.flatten(cells, column, value.Clone())
		} else {
			cells = append(cells, Cell{column, value.Clone()})
		}
		if err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// Text returns the text of a cell from which an import reads the same value. It is what a person would write, or JSON
// if that would be read as another value.
func (c Columns) Text(cell Cell) string {
	switch kind := c.kinds[cell.Column]; {
	case cell.Value.Kind() == jsontext.KindString:
		text := Plain(cell.Value)
		read := jsontext.Value(strings.TrimSpace(text))
		// CSV does not keep carriage returns.
		if len(read) < len(text) || len(text) == 0 || strings.ContainsRune(text, '\r') ||
			(kind == resource.Free || read.Kind() == jsontext.KindString) && read.IsValid() {
			return string(cell.Value)
		}
		return text
	case kind == resource.List && cell.Value.Kind() == jsontext.KindBeginArray:
		if text, faithful := joined(cell.Value); faithful {
			return text
		}
	}
	return string(cell.Value)
}

// joined returns the strings of an array with semicolons between them, and reports whether an import reads the same
// array.
func joined(array jsontext.Value) (text string, faithful bool) {
	var texts []string
	if err := json.Unmarshal(array, &texts); err != nil || len(texts) == 0 {
		return "", false
	}
	for _, one := range texts {
		if one == "" || strings.TrimSpace(one) != one || strings.ContainsAny(one, ";\r") {
			return "", false
		}
	}
	text = strings.Join(texts, "; ")
	return text, !strings.HasPrefix(text, "[")
}

// Plain returns a value for people to read: a string without quotes, an array of strings with semicolons between
// them, and any other value as JSON.
func Plain(value jsontext.Value) string {
	var text string
	if value.Kind() == jsontext.KindString && json.Unmarshal(value, &text) == nil {
		return text
	}
	if text, faithful := joined(value); faithful {
		return text
	}
	return string(value)
}
