// Package sheettest helps to test what writes workbooks.
package sheettest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/sheet"
)

// WellFormed fails the test unless each part of a workbook is a whole document. A spreadsheet refuses others.
func WellFormed(t *testing.T, workbook []byte) {
	t.Helper()
	packed, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range packed.File {
		in, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		of := xml.NewDecoder(in)
		for err == nil {
			_, err = of.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", part.Name, err)
		}
	}
}

// Rows returns the texts of the cells of a workbook, row by row.
func Rows(t *testing.T, workbook []byte) (rows [][]string) {
	t.Helper()
	if err := sheet.XLSX(bytes.NewReader(workbook), int64(len(workbook)), sheet.Of{}, func(row sheet.Row) error {
		texts := make([]string, len(row.Cells))
		for i, cell := range row.Cells {
			texts[i] = cell.Text
		}
		rows = append(rows, texts)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// hard are pieces of texts that are hard to write in a workbook: what XML cannot hold, what it would change, what looks
// like an escape of the one or the other, and what is of several bytes or of two units of UTF-16.
var hard = []string{
	"\x00", "\x01", "\x0b", "\x1f", "\x7f", "\uFFFE", "\uFFFF", "\uFFFD", "\uFDD0", "\U0001FFFE", "\r", "\r\n", "\n",
	"\t", " ", "_", "_x", "_x0041", "_x0041_", "_x000d_", "_x005F_", "_x005F", "x005F_", "_xD83D__xDE00_", "_xD83D_",
	"_xDE00_", "_x7F_", "x0041_", "0041_", "_X0041_", "_x004G_", "😀", "é", "ﷺ", "&", "<", "&#xD;", "]]>", "=", "'", "a",
}

// Texts returns texts of such pieces, each of them alone and others at random, with a seed that the test logs. There
// are none of blanks alone, since a cell of these is an empty one.
func Texts(t *testing.T, count int) []string {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random, texts := rand.New(rand.NewPCG(seed, 0)), slices.Clone(hard)
	for range count {
		var text strings.Builder
		for range 1 + random.IntN(8) {
			text.WriteString(hard[random.IntN(len(hard))])
		}
		texts = append(texts, text.String())
	}
	return slices.DeleteFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" })
}
