package sheet

import (
	"encoding/xml"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
)

// relation says that a part of a workbook refers to another one, of a kind such as worksheet.
type relation struct{ id, kind, part string }

// relations returns what a part refers to; an empty name is that of the whole package.
func (b *book) relations(of string) (all []relation, err error) {
	list := path.Join(path.Dir(of), "_rels", path.Base(of)+".rels")
	if of == "" {
		list = "_rels/.rels"
	}
	if b.parts[strings.ToLower(list)] == nil {
		return nil, nil
	}
	err = b.each(list, mostListed, func(_ *xml.Decoder, element xml.StartElement) error {
		if element.Name.Local != "Relationship" || attribute(element, "TargetMode") == "External" {
			return nil
		}
		target := attribute(element, "Target")
		if plain, err := url.PathUnescape(target); err == nil {
			target = plain
		}
		if !strings.HasPrefix(target, "/") {
			target = path.Join(path.Dir(of), target)
		}
		all = append(all, relation{attribute(element, "Id"), path.Base(attribute(element, "Type")),
			strings.TrimPrefix(path.Clean(target), "/")})
		return nil
	})
	return all, err
}

// relate finds the part that lists the sheets, and what it refers to.
func (b *book) relate() error {
	b.workbook = "xl/workbook.xml"
	whole, err := b.relations("")
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(whole, func(of relation) bool { return of.kind == "officeDocument" }); at >= 0 {
		b.workbook = whole[at].part
	}
	if b.related, err = b.relations(b.workbook); err != nil {
		return err
	}
	b.tables = map[string]string{}
	for _, of := range b.related {
		switch of.kind {
		case "worksheet":
			b.tables[of.id] = of.part
		case "vbaProject", "xlMacrosheet", "xlIntlMacrosheet":
			return errMacros
		case "externalLink":
			return errLinks
		}
	}
	return nil
}

// partOf returns the part of some kind that belongs to the workbook, such as styles; empty if there is none. Where
// nothing refers to it, it is the one that has the name by which most writers call it.
func (b *book) partOf(kind string) string {
	if at := slices.IndexFunc(b.related, func(of relation) bool { return of.kind == kind }); at >= 0 {
		return b.related[at].part
	}
	usual := path.Join(path.Dir(b.workbook), kind+".xml")
	if b.parts[strings.ToLower(usual)] == nil {
		return ""
	}
	return usual
}

// Sheet is a sheet as a workbook lists it.
type Sheet struct {
	Name string
	// Hidden says that it is not shown, Table that it is a table and no chart.
	Hidden, Table bool
	part          string
}

// String returns the name of a sheet, with why it is not read unless it is asked for.
func (s Sheet) String() string {
	switch {
	case !s.Table:
		return s.Name + " (no table)"
	case s.Hidden:
		return s.Name + " (hidden)"
	}
	return s.Name
}

// Sheets returns the sheets of a workbook in their order. Errors: *WrongError.
func Sheets(from io.ReaderAt, size int64) ([]Sheet, error) {
	b, err := open(from, size)
	if err != nil {
		return nil, err
	}
	return b.sheets()
}

// sheets returns the sheets, and reads from when on dates count.
func (b *book) sheets() (all []Sheet, err error) {
	err = b.each(b.workbook, mostListed, func(_ *xml.Decoder, of xml.StartElement) error {
		switch of.Name.Local {
		case "sheet":
			all = append(all, b.listed(of))
		case "workbookPr":
			b.since1904 = isTrue(attribute(of, "date1904"))
		}
		return nil
	})
	return all, err
}

// sheet returns the part of a sheet.
func (b *book) sheet(wanted Of) (string, error) {
	all, err := b.sheets()
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(all, func(of Sheet) bool {
		return of.Name == wanted.Name || wanted.Name == "" && !of.Hidden && of.Table
	})
	if wanted.Number > 0 {
		at = wanted.Number - 1
	}
	if at >= 0 && at < len(all) && all[at].Table {
		return all[at].part, nil
	}
	var names []string
	for _, of := range all {
		names = append(names, of.String())
	}
	has := strings.Join(names, ", ")
	switch {
	case wanted.Number > 0:
		return "", wrong("The workbook has no table as its sheet %d; it has %s.", wanted.Number, has)
	case wanted.Name == "":
		return "", wrong("The workbook has no table that is not hidden; it has %s.", has)
	}
	return "", wrong("The workbook has no sheet %q; it has %s.", wanted.Name, has)
}

// listed returns a sheet. One that is no table, but a chart, has no part.
func (b *book) listed(of xml.StartElement) Sheet {
	to := Sheet{Name: attribute(of, "name")}
	state := attribute(of, "state")
	to.Hidden = state == "hidden" || state == "veryHidden"
	for _, a := range of.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			to.part = b.tables[a.Value]
		}
	}
	to.Table = to.part != ""
	return to
}
