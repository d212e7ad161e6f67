package sheet

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// begins is how many bytes of a file say what it is.
const begins = 1024

// The first bytes of files.
const (
	zipFile      = "PK\x03\x04"
	compoundFile = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
)

// foreign says what a file is that is neither CSV nor XLSX, by its beginning, and what to do with it; empty if it is
// nothing known.
func foreign(begin []byte) string {
	lower := strings.ToLower(strings.TrimLeft(strings.TrimPrefix(string(begin), byteOrderMark), " \t\r\n"))
	is := func(what ...string) bool {
		for _, of := range what {
			if strings.HasPrefix(lower, of) {
				return true
			}
		}
		return false
	}
	switch {
	case bytes.HasPrefix(begin, []byte(compoundFile)):
		return "The file is an older workbook (XLS), or one with a password. Open it, and save it as XLSX without one."
	case is("%pdf-"):
		return "The file is a PDF. Ask its sender for the table that it was printed from, as XLSX or CSV."
	case is("<?xml") && strings.Contains(lower, "urn:schemas-microsoft-com:office:spreadsheet"):
		return "The file is a workbook of 2003 (XML). Open it in a spreadsheet, and save it as XLSX."
	case is("<!doctype html", "<html", "<table", "<head", "<meta", "<body", "<div", "<style"),
		is("<?xml") && strings.Contains(lower, "<html"):
		return "The file is a page of HTML, whatever its name says. Open it in a spreadsheet, and save it as XLSX."
	case is("{\\rtf"):
		return "The file is a text document (RTF). Save its table as XLSX or CSV."
	}
	return ""
}

// beginning returns the first bytes of a file.
func beginning(from io.ReaderAt) []byte {
	begin := make([]byte, begins)
	n, _ := from.ReadAt(begin, 0) // a file may be shorter
	return begin[:n]
}

// noArchive says what a file is that is no XLSX, because it is no archive.
func noArchive(from io.ReaderAt, size int64) string {
	begin := beginning(from)
	if bytes.HasPrefix(begin, []byte(compoundFile)) {
		switch whole := io.NewSectionReader(from, 0, size); {
		case mentions(whole, "EncryptedPackage"):
			return "The workbook has a password. Open it, remove the password (File, Info, Protect Workbook), and " +
				"save it as XLSX."
		case mentions(whole, "Workbook"), mentions(whole, "Book"):
			return "The file is an older workbook (XLS). Open it in a spreadsheet, and save it as XLSX."
		}
		return "The file is a document of an older Office program, and no workbook (XLSX)."
	}
	if words := foreign(begin); words != "" {
		return words
	}
	if !bytes.HasPrefix(begin, []byte(zipFile)) && !bytes.ContainsRune(begin, 0) && len(begin) > 0 {
		return "The file is no workbook (XLSX), but text. CSV has the format csv."
	}
	return ""
}

// noWorkbook says what an archive is that has no workbook of XLSX in it.
func (b *book) noWorkbook() string {
	switch {
	case b.parts["xl/workbook.bin"] != nil:
		return "The file is a binary workbook (XLSB). Open it in a spreadsheet, and save it as XLSX."
	case b.parts["mimetype"] != nil && b.parts["content.xml"] != nil:
		return "The file is a document of LibreOffice (ODS). Open it there, and save it as XLSX."
	case b.parts["index/document.iwa"] != nil:
		return "The file is a document of Numbers. Export it as XLSX."
	case b.parts["word/document.xml"] != nil:
		return "The file is a text document (DOCX). Save its table as XLSX or CSV."
	}
	return ""
}

// mentions reports whether a compound file has a name, as it lists those of the files that it consists of: in UTF-16,
// with a 0 behind it. It is read from its beginning.
func mentions(from io.ReadSeeker, name string) bool {
	sought, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(name + "\x00"))
	if err != nil {
		return false
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return false
	}
	some, kept := make([]byte, 64<<10), 0
	for {
		n, err := io.ReadFull(from, some[kept:])
		if bytes.Contains(some[:kept+n], sought) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(some, some[len(some)-len(sought):])
	}
}
