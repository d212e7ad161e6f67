package setting

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// parseYAML reads a YAML mapping from names of settings to values. A value is a scalar, a list of scalars, or, for a
// setting of the form name=value, a mapping of scalars. Scalars are taken as they are written: 0010 stays 0010.
func parseYAML(path string, text []byte) (map[string]entry, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		reason, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
		return nil, fmt.Errorf("%s: %s", path, reason)
	}
	entries := map[string]entry{}
	for _, document := range file.Docs {
		if document.Body == nil {
			continue
		}
		pairs, ok := mapping(document.Body)
		if !ok {
			return nil, fmt.Errorf("%s: the file must be a mapping, with one setting (name: value) in each line", path)
		}
		for _, pair := range pairs {
			name := pair.Key.GetToken().Value
			origin := fmt.Sprintf("%s line %d", path, pair.Key.GetToken().Position.Line)
			if _, twice := entries[name]; twice {
				return nil, fmt.Errorf("%s: setting %s is given twice", origin, name)
			}
			values, many, ok := nodeValues(pair.Value)
			if !ok {
				return nil, fmt.Errorf("%s: the value of setting %s is nested too deep", origin, name)
			}
			entries[name] = entry{origin: origin, values: values, many: many}
		}
	}
	return entries, nil
}

func mapping(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch node := node.(type) {
	case *ast.MappingNode:
		return node.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{node}, true
	default:
		return nil, false
	}
}

func nodeValues(node ast.Node) (values []string, many, ok bool) {
	if pairs, is := mapping(node); is {
		for _, pair := range pairs {
			value, ok := scalar(pair.Value)
			if !ok {
				return nil, true, false
			}
			values = append(values, pair.Key.GetToken().Value+"="+value)
		}
		return values, true, true
	}
	if sequence, is := node.(*ast.SequenceNode); is {
		for _, one := range sequence.Values {
			value, ok := scalar(one)
			if !ok {
				return nil, true, false
			}
			values = append(values, value)
		}
		return values, true, true
	}
	value, ok := scalar(node)
	return []string{value}, false, ok
}

func scalar(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.NullNode:
		return "", true
	case *ast.LiteralNode:
		return node.Value.Value, true
	case ast.ScalarNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}
