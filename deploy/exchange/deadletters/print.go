package deadletters

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"insurance.example/exchange/pkg/kafka"
)

// The forms of the output.
const (
	asJSON  = "json"
	asTable = "table"
)

// line is something that is printed as an object, or as a line of a table.
type line interface{ cells() []string }

// printer writes lines in one form.
type printer struct {
	encoder *json.Encoder
	table   *tabwriter.Writer
	columns []string
	lines   int
}

func newPrinter(w io.Writer, form string, columns []string) *printer {
	if form == asJSON {
		return &printer{encoder: json.NewEncoder(w)}
	}
	return &printer{table: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), columns: columns}
}

func (p *printer) print(l line) error {
	p.lines++
	if p.encoder != nil {
		return p.encoder.Encode(l)
	}
	if p.lines == 1 {
		if err := p.row(p.columns); err != nil {
			return err
		}
	}
	return p.row(l.cells())
}

func (p *printer) row(cells []string) error {
	line := make([]string, len(cells))
	for i, cell := range cells {
		line[i] = shown(cell)
	}
	_, err := fmt.Fprintln(p.table, strings.Join(line, "\t"))
	return err
}

// end writes what is left.
func (p *printer) end() error {
	if p.table == nil {
		return nil
	}
	if p.lines == 0 {
		if _, err := fmt.Fprintln(p.table, "There are none."); err != nil {
			return err
		}
	}
	return p.table.Flush()
}

// widestCell bounds a cell, so that one reason does not fill the screen.
const widestCell = 80

// shown replaces what would move the cursor or command the terminal, and shortens what is long.
func shown(cell string) string {
	cell = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, cell)
	if runes := []rune(cell); len(runes) > widestCell {
		return string(runes[:widestCell-1]) + "…"
	}
	return cell
}

var letterColumns = []string{"NAME", "FAILED", "PUT BACK", "PARTITION", "OFFSET", "KEY", "REASON"}

// letterLine is a dead letter as it is printed.
type letterLine struct {
	Name      string            `json:"name"`
	Reason    string            `json:"reason"`
	Topic     string            `json:"topic"`
	Partition int               `json:"partition"`
	Offset    int64             `json:"offset"`
	At        time.Time         `json:"at"`
	Replayed  *time.Time        `json:"replayed,omitempty"`
	Key       string            `json:"key"`
	Value     string            `json:"value"`
	Headers   map[string]string `json:"headers,omitempty"`
}

func shownLetter(d kafka.DeadLetter) letterLine {
	l := letterLine{
		Name: d.Name, Reason: d.Reason, Topic: d.Topic, Partition: d.Partition, Offset: d.Offset, At: d.At.UTC(),
		Key: text(d.Message.Key), Value: text(d.Message.Value),
	}
	if !d.Replayed.IsZero() {
		at := d.Replayed.UTC()
		l.Replayed = &at
	}
	for _, h := range d.Message.Headers {
		if l.Headers == nil {
			l.Headers = make(map[string]string)
		}
		l.Headers[h.Key] = text(h.Value)
	}
	return l
}

func (l letterLine) cells() []string {
	back := "no"
	if l.Replayed != nil {
		back = l.Replayed.Format(time.RFC3339)
	}
	return []string{
		l.Name, l.At.Format(time.RFC3339), back, fmt.Sprint(l.Partition), fmt.Sprint(l.Offset), l.Key, l.Reason,
	}
}

// text returns bytes as a text. Bytes that are none are shown in base64.
func text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return "base64:" + base64.StdEncoding.EncodeToString(b)
}

var outcomeColumns = []string{"NAME", "OUTCOME", "KEY"}

// outcomeOf is what became of a dead letter.
type outcomeOf struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"`
	Key     string `json:"key"`
}

func (o outcomeOf) cells() []string { return []string{o.Name, o.Outcome, o.Key} }
