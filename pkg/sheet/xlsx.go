package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
)

const (
	// mostUnpacked is the size to which a workbook may unpack, and mostParts how many files may be in it.
	mostUnpacked = 256 << 20
	mostParts    = 2_000
	// mostShared is the size of the texts that cells of a workbook share, which are kept in memory while it is read,
	// and mostListed that of its lists of sheets and styles.
	mostShared = 32 << 20
	mostListed = 4 << 20
	// mostTexts is how many texts the cells may share.
	mostTexts = 1 << 20
)

// book is a workbook. Libraries that read one row by row do not say which cells are texts and which have a formula, so
// that 1.234 as a text could not be told from the number; those that say it keep the whole sheet in memory.
type book struct {
	parts     map[string]*zip.File // by their names in small letters, as those that name them may have any case
	left      uint64               // how many bytes may still be unpacked
	workbook  string               // the part that lists the sheets
	related   []relation           // what that part refers to
	tables    map[string]string    // the parts of the sheets that are tables, by the id of their relation
	shared    []string
	formats   []format // of the styles
	since1904 bool     // dates count from 1904, and not from 1900
	merged    []merged // of the sheet that is read, by their first rows, that are still to come
	over      []merged // the ones that stand over the row that is read
}

// Of says which sheet of a workbook is read, and how. The zero value reads the first one that is not hidden.
type Of struct {
	// Name is the name of the sheet; Number is its place among all sheets, from 1, if it is not 0.
	Name   string
	Number int
	// Merged says that each part of a merged cell has its value, and is not empty.
	Merged bool
}

// XLSX calls a function with each row of a sheet of a workbook. Empty rows are left out. A workbook with macros or
// links to others is refused. Errors: *WrongError, those of the function.
func XLSX(from io.ReaderAt, size int64, of Of, do func(Row) error) error {
	b, err := open(from, size)
	if err != nil {
		return err
	}
	sheet, err := b.sheet(of)
	if err != nil {
		return err
	}
	if of.Merged {
		if err := b.merge(sheet); err != nil {
			return err
		}
	}
	if err := b.styles(b.partOf("styles")); err != nil {
		return err
	}
	if err := b.texts(b.partOf("sharedStrings")); err != nil {
		return err
	}
	return b.rows(sheet, bounded(do))
}

func open(from io.ReaderAt, size int64) (*book, error) {
	archive, err := zip.NewReader(from, size)
	if err != nil {
		if words := noArchive(from, size); words != "" {
			return nil, NewWrong(words)
		}
		return nil, wrong("The file is no workbook (XLSX): %v.", err)
	}
	if len(archive.File) > mostParts {
		return nil, wrong("The workbook has %d parts; one may have %d.", len(archive.File), mostParts)
	}
	b := &book{parts: map[string]*zip.File{}, left: mostUnpacked}
	for _, part := range archive.File {
		name := strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(part.Name, `\`, "/"), "/"))
		switch {
		case path.Base(name) == "vbaproject.bin", strings.HasPrefix(name, "xl/macrosheets/"):
			return nil, errMacros
		case strings.HasPrefix(name, "xl/externallinks/"):
			return nil, errLinks
		case b.parts[name] != nil:
			return nil, wrong("The workbook has the part %s twice.", part.Name)
		}
		b.parts[name] = part
	}
	return b, b.relate()
}

var (
	errMacros = wrong("The workbook has macros. Save it as XLSX without them.")
	errLinks  = wrong("The workbook has links to others. Break the links, so that it has the values alone.")
)

// part opens a part of the workbook, which may unpack to a number of bytes. A part that unpacks to more than it
// declares is refused by its reader.
func (b *book) part(name string, most uint64) (io.ReadCloser, error) {
	of := b.parts[strings.ToLower(name)]
	if words := b.noWorkbook(); of == nil && words != "" {
		return nil, NewWrong(words)
	}
	if of == nil {
		return nil, wrong("The file is no workbook (XLSX): it has no part %s.", name)
	}
	if of.UncompressedSize64 > min(most, b.left) {
		return nil, wrong("The workbook unpacks to more than it may: %d MiB, of them %d MiB of texts. Save it as CSV, "+
			"or divide it.", mostUnpacked>>20, mostShared>>20)
	}
	b.left -= of.UncompressedSize64
	from, err := of.Open()
	if err != nil {
		return nil, wrong("The part %s of the workbook cannot be unpacked: %v.", name, err)
	}
	return from, nil
}

// each calls a function with the beginning of each element of a part, until the function or the part ends. A part that
// ends before its first element does is refused.
func (b *book) each(name string, most uint64, do func(*xml.Decoder, xml.StartElement) error) error {
	from, err := b.part(name, most)
	if err != nil {
		return err
	}
	defer from.Close()
	tokens, first, last := xml.NewDecoder(from), "", ""
	for {
		token, err := tokens.RawToken()
		if errors.Is(err, io.EOF) && first == last {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		switch element := token.(type) {
		case xml.StartElement:
			if first == "" {
				first = element.Name.Local
			}
			if err := do(tokens, element); err != nil {
				return err
			}
		case xml.EndElement:
			last = element.Name.Local
		}
	}
}

// next returns the next token of an element that has not ended.
func next(tokens *xml.Decoder) (xml.Token, error) {
	token, err := tokens.RawToken()
	if err != nil {
		err = unreadable(err)
	}
	return token, err
}

// unreadable returns what is wrong with a part that could not be read.
func unreadable(err error) error {
	var known *WrongError
	if errors.As(err, &known) {
		return known
	}
	return wrong("The workbook cannot be read: %v.", err)
}

// isTrue reports whether an attribute has one of the values that stand for true.
func isTrue(value string) bool { return value == "1" || value == "true" }

func attribute(of xml.StartElement, name string) string {
	for _, a := range of.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// styles reads the formats of the styles.
func (b *book) styles(part string) error {
	if part == "" {
		return nil
	}
	own, within := map[string]format{}, false
	return b.each(part, mostListed, func(_ *xml.Decoder, of xml.StartElement) error {
		switch of.Name.Local {
		case "numFmt":
			own[attribute(of, "numFmtId")] = formatOf(attribute(of, "formatCode"))
		case "cellXfs":
			within = true
		case "cellStyles", "dxfs":
			within = false
		case "xf":
			if !within {
				return nil
			}
			in, is := own[attribute(of, "numFmtId")]
			if !is {
				id, _ := strconv.Atoi(attribute(of, "numFmtId")) // 0 without one
				in = builtIn(id)
			}
			b.formats = append(b.formats, in)
		}
		return nil
	})
}

// texts reads the texts that cells share.
func (b *book) texts(part string) error {
	if part == "" {
		return nil
	}
	return b.each(part, mostShared, func(tokens *xml.Decoder, of xml.StartElement) error {
		if of.Name.Local != "si" {
			return nil
		}
		if len(b.shared) == mostTexts {
			return wrong("The workbook has more than %d different texts. Save it as CSV, or divide it.", mostTexts)
		}
		text, err := textWithin(tokens, "si")
		b.shared = append(b.shared, text)
		return err
	})
}

// textWithin returns the text of an element that was begun, without how it is pronounced.
func textWithin(tokens *xml.Decoder, name string) (string, error) {
	var text strings.Builder
	within, pronounced := false, false
	for {
		token, err := next(tokens)
		if err != nil {
			return "", err
		}
		switch of := token.(type) {
		case xml.StartElement:
			within, pronounced = of.Name.Local == "t", pronounced || of.Name.Local == "rPh"
		case xml.EndElement:
			within, pronounced = false, pronounced && of.Name.Local != "rPh"
			if of.Name.Local == name {
				return unescaped(text.String()), nil
			}
		case xml.CharData:
			if within && !pronounced {
				text.Write(of)
			}
		}
	}
}
