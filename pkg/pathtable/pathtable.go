// Package pathtable finds what belongs to a path among templates such as /x/history/vehicle/{id} and
// /x/webhook/{name}:pause. The gateway and the services use it, so that both understand a path in the same way.
//
// The routers of gin and net/http have no {name}:word: there a variable is a whole segment. They also call a handler,
// where the gateway needs to know to which service and operation a path belongs before it decides anything.
package pathtable

import (
	"fmt"
	"strings"
)

// Table holds values by templates. A segment of a template is a text, {name}, which stands for any segment that is not
// empty, or {name}:word, which stands for a segment that ends in :word. A text is preferred to {name}:word, and
// {name}:word to {name}. The zero Table is empty.
type Table[T any] struct{ root node[T] }

// Found is what belongs to a path.
type Found[T any] struct {
	// Template is the template that the path has.
	Template string
	Value    T
	// Parameters are the segments of the path that stand for the names of the template, in the order of the path.
	Parameters []Parameter
}

// Parameter is a segment of a path.
type Parameter struct{ Name, Value string }

type node[T any] struct {
	texts map[string]*node[T]
	// words holds the nodes of segments {name}:word by the word; that of {name} has the word "".
	words map[string]*node[T]
	name  string
	found *Found[T]
}

// At returns the value of a template, for reading and writing, which it adds if there is none. Errors: the template
// does not begin with a slash, or has an empty segment or another name for a segment than a template before.
func (t *Table[T]) At(template string) (*T, error) {
	path, rooted := strings.CutPrefix(template, "/")
	if !rooted {
		return nil, fmt.Errorf("the path %q does not begin with a slash", template)
	}
	at := &t.root
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" {
			return nil, fmt.Errorf("the path %q has an empty segment", template)
		}
		name, word, named := parameter(segment)
		if !named {
			at = child(&at.texts, segment)
			continue
		}
		if at = child(&at.words, word); at.name != "" && at.name != name {
			return nil, fmt.Errorf("a segment of the path %q is called %s elsewhere", template, at.name)
		}
		at.name = name
	}
	if at.found == nil {
		at.found = &Found[T]{Template: template}
	}
	return &at.found.Value, nil
}

// parameter splits a segment {name} or {name}:word.
func parameter(segment string) (name, word string, is bool) {
	rest, is := strings.CutPrefix(segment, "{")
	if !is {
		return "", "", false
	}
	name, word, is = strings.Cut(rest, "}")
	return name, strings.TrimPrefix(word, ":"), is
}

func child[T any](of *map[string]*node[T], key string) *node[T] {
	if *of == nil {
		*of = map[string]*node[T]{}
	}
	if (*of)[key] == nil {
		(*of)[key] = &node[T]{}
	}
	return (*of)[key]
}

// Find returns what belongs to a path; ok is false if no template has it.
func (t *Table[T]) Find(path string) (match Found[T], ok bool) {
	path, rooted := strings.CutPrefix(path, "/")
	if !rooted {
		return match, false
	}
	return t.root.find(path, nil)
}

func (n *node[T]) find(path string, read []Parameter) (Found[T], bool) {
	segment, rest, deeper := strings.Cut(path, "/")
	follow := func(next *node[T], read []Parameter) (Found[T], bool) {
		switch {
		case next == nil || !deeper && next.found == nil:
			return Found[T]{}, false
		case deeper:
			return next.find(rest, read)
		}
		match := *next.found
		match.Parameters = read
		return match, true
	}
	if match, ok := follow(n.texts[segment], read); ok {
		return match, true
	}
	if colon := strings.LastIndexByte(segment, ':'); colon > 0 {
		if next := n.words[segment[colon+1:]]; next != nil && segment[colon+1:] != "" {
			if match, ok := follow(next, append(read, Parameter{next.name, segment[:colon]})); ok {
				return match, true
			}
		}
	}
	if next := n.words[""]; next != nil && segment != "" {
		return follow(next, append(read, Parameter{next.name, segment}))
	}
	return Found[T]{}, false
}
