package sheet

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escape is a character as a workbook writes what XML cannot hold, such as _x000D_: a unit of UTF-16, or a pair of
// them.
var escape = regexp.MustCompile(`_x([dD][89abAB][0-9A-Fa-f]{2})__x([dD][c-fC-F][0-9A-Fa-f]{2})_|_x([0-9A-Fa-f]{4})_`)

// unescaped returns a text with the characters that a workbook has written so. Half a pair is left as it is.
func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return escape.ReplaceAllStringFunc(text, func(written string) string {
		unit := func(at int) rune {
			value, _ := strconv.ParseUint(written[at:at+4], 16, 16) // digits
			return rune(value)
		}
		if len(written) > len("_x000D_") {
			return string(utf16.DecodeRune(unit(2), unit(9)))
		}
		if utf16.IsSurrogate(unit(2)) {
			return written
		}
		return string(unit(2))
	})
}

// mark stands for the underscores of an escape from Escaped until the workbook is packed. What writes workbooks would
// take an escape for a text that looks like one, and XML takes this character as it is. It is one byte, so that no
// part of it is in the byte of another character.
const mark = '\x7f'

// written is what a workbook has as an escape: what XML cannot hold or would change, the mark, and the beginning of a
// text that looks like an escape, also where it would only become one with what follows.
var written = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\uFFFE\uFFFF]|_x[0-9A-Fa-f]{4}")

// Escaped returns a text for the cell of a workbook that a Packer packs, which XLSX reads as the text that it was.
func Escaped(text string) string {
	if !strings.Contains(text, "_x") && !strings.ContainsFunc(text, unheld) {
		return text
	}
	return written.ReplaceAllStringFunc(text, func(of string) string {
		first, size := utf8.DecodeRuneInString(of)
		return fmt.Sprintf("%cx%04X%c%s", mark, first, mark, of[size:])
	})
}

// Cells returns cells of a row to write, with those that are texts Escaped.
func Cells[T any](row []T) []any {
	cells := make([]any, len(row))
	for i, cell := range row {
		if text, is := any(cell).(string); is {
			cells[i] = Escaped(text)
		} else {
			cells[i] = cell
		}
	}
	return cells
}

// unheld reports whether XML cannot hold a character or would change it, or whether it is the mark.
func unheld(of rune) bool {
	return of < ' ' && of != '\t' && of != '\n' || of == mark || of == '\uFFFE' || of == '\uFFFF'
}

// Packer packs the parts of a workbook whose texts are Escaped.
type Packer struct{ *zip.Writer }

// NewPacker returns what packs a workbook to w.
func NewPacker(w io.Writer) Packer { return Packer{zip.NewWriter(w)} }

// Create begins a part, which is XML. Errors: those of the writer.
func (p Packer) Create(name string) (io.Writer, error) {
	to, err := p.Writer.Create(name)
	return unmarked{to}, err
}

// unmarked writes an underscore for each mark.
type unmarked struct{ to io.Writer }

func (u unmarked) Write(text []byte) (int, error) {
	if bytes.IndexByte(text, mark) >= 0 {
		text = bytes.ReplaceAll(text, []byte{mark}, []byte{'_'})
	}
	return u.to.Write(text)
}
