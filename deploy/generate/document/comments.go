package document

import (
	"go/ast"
	"go/doc"
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

// comments are the doc comments of the structs, read from the sources.
type comments struct {
	root     string
	packages map[string]*doc.Package // by import path
	err      error                   // the first package that could not be read
}

// group answers the package of a type and what it says of itself.
func (c *comments) group(t reflect.Type) (name, description string) {
	p := c.read(t.PkgPath())
	// "Package claims holds losses" describes the group as "Losses".
	_, holds, _ := strings.Cut(p.Synopsis(p.Doc), " holds ")
	if holds == "" {
		return path.Base(t.PkgPath()), ""
	}
	return path.Base(t.PkgPath()), upper(holds)
}

// of answers the comment of a type, with the names of its fields as they travel; empty for a type without one.
func (c *comments) of(t reflect.Type) string {
	if !strings.HasPrefix(t.PkgPath(), module) {
		return ""
	}
	for _, declared := range c.read(t.PkgPath()).Types {
		if declared.Name == t.Name() {
			return travelling(strings.Join(strings.Fields(declared.Doc), " "), t)
		}
	}
	return ""
}

func (c *comments) read(importPath string) *doc.Package {
	if p, ok := c.packages[importPath]; ok {
		return p
	}
	p, err := readPackage(filepath.Join(c.root, strings.TrimPrefix(importPath, module)), importPath)
	if err != nil {
		p = &doc.Package{}
		if c.err == nil {
			c.err = err
		}
	}
	c.packages[importPath] = p
	return p
}

func readPackage(folder, importPath string) (*doc.Package, error) {
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, source := range sources {
		file, err := parser.ParseFile(set, source, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(source, "_test.go") {
			files = append(files, file)
		}
	}
	return doc.NewFromFiles(set, files, importPath)
}

// travelling writes the names of a struct's fields in a text as they are in JSON.
func travelling(text string, t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return text
	}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			text = regexp.MustCompile(`\b`+field.Name+`\b`).ReplaceAllString(text, "`"+name+"`")
		}
	}
	return text
}
