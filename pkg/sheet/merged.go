package sheet

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strings"
)

// mostMerged is how many merged cells a sheet may have.
const mostMerged = 100_000

// merged is a cell that stands over several rows or columns, with its value once that was read.
type merged struct {
	left, top, right, bottom int
	value                    Cell
}

// merge reads which cells of a sheet are merged. A sheet lists them behind its rows.
func (b *book) merge(sheet string) error {
	left := b.left
	err := b.each(sheet, mostUnpacked, func(_ *xml.Decoder, of xml.StartElement) error {
		if of.Name.Local != "mergeCell" {
			return nil
		}
		from, to, _ := strings.Cut(attribute(of, "ref"), ":")
		m := merged{}
		var isFrom, isTo bool
		m.left, m.top, isFrom = placed(from)
		m.right, m.bottom, isTo = placed(to)
		if !isFrom || !isTo || m.right < m.left || m.bottom < m.top || m.right > mostColumns {
			return nil // it holds no more cells than may be filled
		}
		if len(b.merged) == mostMerged {
			return wrong("The sheet has more than %d merged cells.", mostMerged)
		}
		b.merged = append(b.merged, m)
		return nil
	})
	b.left = left // the same part is read again for its rows
	slices.SortStableFunc(b.merged, func(a, b merged) int { return cmp.Compare(a.top, b.top) })
	return err
}

// fill gives the empty parts of merged cells in a row their value.
func (b *book) fill(row *Row) error {
	b.over = slices.DeleteFunc(b.over, func(m merged) bool { return m.bottom < row.Number })
	for ; len(b.merged) > 0 && b.merged[0].top <= row.Number; b.merged = b.merged[1:] {
		m := b.merged[0]
		if m.top == row.Number && m.left <= len(row.Cells) {
			m.value = row.Cells[m.left-1]
			b.over = append(b.over, m)
		}
	}
	columns := 0
	for _, m := range b.over {
		if columns += m.right - m.left + 1; columns > mostColumns {
			return wrong("Row %d has merged cells that lie over others.", row.Number)
		}
	}
	for _, m := range b.over {
		for column := m.left; column <= m.right && m.value.Filled(); column++ {
			for len(row.Cells) < column {
				row.Cells = append(row.Cells, Cell{})
			}
			if cell := &row.Cells[column-1]; !cell.Filled() {
				*cell = m.value
				cell.Merged = true
			}
		}
	}
	return nil
}
