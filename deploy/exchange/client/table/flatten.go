package table

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/client/resource"
)

// Flatten returns the cells of a record, a JSON object. Arrays, and objects without members, are cells of their own.
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

// Text writes a cell so that Record reads the same value: as a person would write it, or as JSON where that would be
// read as something else.
func (c Columns) Text(cell Cell) string {
	switch kind := c.kinds[cell.Column]; {
	case cell.Value.Kind() == jsontext.KindString:
		text := Plain(cell.Value)
		read := jsontext.Value(strings.TrimSpace(text))
		// CSV does not keep carriage returns.
		if text == "" || strings.ContainsRune(text, '\r') || (kind == resource.Free || read.Kind() == jsontext.KindString) && read.IsValid() {
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

// joined returns an array of texts with semicolons between them, and whether that reads as the same array.
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

// Plain returns a value for people to read: a string without quotes, texts with semicolons between them, anything else as JSON.
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
