package document

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
)

// module begins the import path of every package of the exchange.
const module = "insurance.example/exchange/"

// words are the texts of the document that come from the comments of packages, structs and their fields.
//
// The comment of a field is taken as it is. Of the comment of a package or a struct, the first paragraph is for
// readers of the code, as Go wants it ("Motor is ..."); the paragraphs after it are taken as they are.
type words struct {
	root     string
	packages map[string]*source // by import path
	texts    []locatedText
	errs     []error
}

// source is one package.
type source struct {
	about   string
	structs map[string]structure
}

type structure struct {
	about   string
	members map[string]string // by the name of the Go field
}

// locatedText is a text and the place in the sources where it is written.
type locatedText struct{ where, text string }

func newWords(root string) *words { return &words{root: root, packages: map[string]*source{}} }

// group returns the name of the package of a type, and the part of the package comment that is for callers.
func (w *words) group(t reflect.Type) (name, about string) {
	about = w.read(t.PkgPath()).about
	return path.Base(t.PkgPath()), w.say(t.PkgPath(), about, "a second paragraph in the package comment")
}

// of returns the part of the comment of a struct that is for callers.
func (w *words) of(t reflect.Type) string {
	return w.say(t.String(), w.read(t.PkgPath()).structs[t.Name()].about, "a second paragraph in its comment")
}

// member returns the comment of a field. t is the struct that has the field, or that embeds the struct which has it.
func (w *words) member(t reflect.Type, field reflect.StructField) string {
	owner := t
	if len(field.Index) > 1 {
		owner = t.FieldByIndex(field.Index[:len(field.Index)-1]).Type
	}
	text := w.read(owner.PkgPath()).structs[owner.Name()].members[field.Name]
	return w.say(owner.String()+"."+field.Name, text, "a comment")
}

// say returns a text. It records the text for proofread, and an error if the text is missing.
func (w *words) say(where, text, missing string) string {
	if text == "" {
		w.errs = append(w.errs, fmt.Errorf("%s is in the document and has no description: write %s", where, missing))
	}
	w.texts = append(w.texts, locatedText{where, text})
	return text
}

// read returns the comments of a package, from its sources.
func (w *words) read(importPath string) *source {
	if p, ok := w.packages[importPath]; ok {
		return p
	}
	p, err := readPackage(filepath.Join(w.root, strings.TrimPrefix(importPath, module)))
	if err != nil {
		w.errs = append(w.errs, err)
	}
	w.packages[importPath] = p
	return p
}

func readPackage(folder string) (*source, error) {
	p := &source{structs: map[string]structure{}}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return p, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return p, err
		}
		if about := forCallers(file.Doc); about != "" {
			p.about = about
		}
		for _, d := range file.Decls {
			if types, is := d.(*ast.GenDecl); is && types.Tok == token.TYPE {
				p.add(types)
			}
		}
	}
	return p, nil
}

// add reads a declaration of types.
func (p *source) add(types *ast.GenDecl) {
	for _, spec := range types.Specs {
		declared := spec.(*ast.TypeSpec)
		fields, is := declared.Type.(*ast.StructType)
		if !is {
			continue
		}
		s := structure{about: forCallers(types.Doc), members: map[string]string{}}
		for _, field := range fields.Fields.List {
			for _, name := range field.Names {
				s.members[name.Name] = oneLine(field.Doc.Text())
			}
		}
		p.structs[declared.Name.Name] = s
	}
}

// forCallers returns a comment without its first paragraph.
func forCallers(comment *ast.CommentGroup) string {
	_, rest, _ := strings.Cut(strings.TrimSpace(comment.Text()), "\n\n")
	return oneLine(rest)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// goName is a word with a capital inside, as Go writes exported names.
var goName = regexp.MustCompile(`\b[A-Z]\w*[a-z][A-Z]\w*\b`)

// proofread returns an error for each text that is missing, is no whole sentence, or names a Go type or field. public
// are the names that look like names of Go but belong to the interface.
func (w *words) proofread(public map[string]bool) error {
	errs := w.errs
	for _, s := range w.texts {
		if s.text == "" {
			continue
		}
		if !strings.HasSuffix(s.text, ".") || !strings.ContainsAny(s.text[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ`") {
			errs = append(errs, fmt.Errorf("%s: %q is not a whole sentence", s.where, s.text))
		}
		for _, name := range goName.FindAllString(s.text, -1) {
			if !public[name] {
				errs = append(errs,
					fmt.Errorf("%s: %q names %s, which is no name of the interface", s.where, s.text, name))
			}
		}
	}
	return errors.Join(errs...)
}
