package desk

import (
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func heads(of columns) (all []string) {
	for _, column := range of {
		all = append(all, fmt.Sprint(column.Key))
	}
	return all
}

// cells returns a record as a row of a table.
func cells(of columns, record any) (all []string, err error) {
	for _, column := range of {
		text, err := cell(fmt.Sprint(column.Value), record)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

// cell returns a member of a record, or what a template of it is.
func cell(of string, record any) (string, error) {
	if !strings.Contains(of, "{{") {
		return at(record, of), nil
	}
	parsed, err := template.New("").Parse(of)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = parsed.Execute(&text, record)
	return strings.TrimSpace(text.String()), err
}

// decoded returns a JSON value, whose numbers are texts as they are written.
func decoded(body []byte) (value any, err error) {
	return value, json.Unmarshal(body, &value, json.WithUnmarshalers(json.UnmarshalFromFunc(
		func(from *jsontext.Decoder, into *any) error {
			if from.PeekKind() != jsontext.KindNumber {
				return errors.ErrUnsupported
			}
			text, err := from.ReadValue()
			*into = string(text)
			return err
		})))
}

// member returns what a value has at a path such as versions.last.number, and nil for nothing. # is the number of the
// values of a list.
func member(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch of := value.(type) {
		case map[string]any:
			value = of[name]
		case []any:
			switch {
			case name == "#":
				value = len(of)
			case len(of) > 0:
				value = of[len(of)-1]
			default:
				value = nil
			}
		default:
			return nil
		}
	}
	return value
}

// at returns what a value has at a path as text.
func at(value any, path string) string {
	switch of := member(value, path).(type) {
	case nil:
		return ""
	case []any:
		var all []string
		for _, one := range of {
			all = append(all, fmt.Sprint(one))
		}
		return strings.Join(all, ", ")
	default:
		return fmt.Sprint(of)
	}
}
