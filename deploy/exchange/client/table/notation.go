package table

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"insurance.example/exchange/pkg/resource"
)

// Notation says how the cells of a file write days and numbers, where they are not written as the interface has them.
// It is declared, never guessed: 03.04.2026 is a day in both orders. A cell that does not fit what was declared is an
// error.
type Notation struct {
	// Order is the order of a day's parts: one of DateOrders, or "" for days as the interface has them.
	Order string
	// Decimal is one of Decimals, or "" for numbers as the interface has them.
	Decimal string
}

// DateOrders are the orders in which a day's parts may be written.
var DateOrders = []string{"ymd", "dmy", "mdy"}

var layouts = map[string]string{"ymd": "2006-1-2", "dmy": "2-1-2006", "mdy": "1-2-2006"}

// Decimals are the names of the characters that may be before the fraction of a number.
var Decimals = []string{"comma", "point"}

var (
	dayAndTime = regexp.MustCompile(`^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})(?:[T ]+(\d{1,2}:\d{2}(?::\d{2})?))?$`)
	interfaces = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(T|$)`)
	// numbers are numbers whose whole part has groups of three digits or none, by the name of the decimal character.
	// One character is between the groups.
	numbers = map[string]*regexp.Regexp{"comma": grouped(`,`, `\.`), "point": grouped(`\.`, `,`)}
)

func grouped(decimal, other string) *regexp.Regexp {
	whole := `\d+`
	for _, between := range []string{other, `'`, `’`, `\x{a0}`, `\x{202f}`, ` `} {
		whole += `|\d{1,3}(?:` + between + `\d{3})+`
	}
	return regexp.MustCompile(`^([+-]?)(` + whole + `)(?:` + decimal + `(\d+))?$`)
}

// Understood is what a notation has made of the first day and the first number that it changed.
type Understood struct {
	mu    sync.Mutex
	first map[resource.Kind]string
}

// String returns an example of each kind in words, or "" if no cell was changed.
func (u *Understood) String() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []string
	for _, kind := range []resource.Kind{resource.Date, resource.Number} {
		if words := u.first[kind]; words != "" {
			all = append(all, words)
		}
	}
	return strings.Join(all, ", ")
}

func (u *Understood) note(kind resource.Kind, from, to string) {
	if from == to {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.first == nil {
		u.first = map[resource.Kind]string{}
	}
	if u.first[kind] == "" {
		u.first[kind] = fmt.Sprintf("%q is %s", from, to)
	}
}

// Cell returns a cell of a kind as the interface writes it.
func (n Notation) Cell(kind resource.Kind, cell string, seen *Understood) (string, error) {
	text := strings.TrimSpace(cell)
	var plain string
	var err error
	switch {
	case text == "":
		return cell, nil
	case n.Order != "" && (kind == resource.Date || kind == resource.DateTime):
		plain, err = n.day(kind, text)
		kind = resource.Date
	case n.Decimal != "" && kind == resource.Number:
		plain, err = n.number(text)
	default:
		return cell, nil
	}
	if err != nil {
		return "", err
	}
	seen.note(kind, text, plain)
	return plain, nil
}

func (n Notation) day(kind resource.Kind, text string) (string, error) {
	if interfaces.MatchString(text) && (kind == resource.Date || strings.Contains(text, "T")) {
		return text, nil // the year comes first in no other order
	}
	parts := dayAndTime.FindStringSubmatch(text)
	if parts == nil || kind == resource.Date && parts[4] != "" {
		return "", fmt.Errorf("%q is no day in the order %s with four digits of the year", text, n.Order)
	}
	layout, value := layouts[n.Order], strings.Join(parts[1:4], "-")
	switch strings.Count(parts[4], ":") {
	case 1:
		layout, value = layout+" 15:04", value+" "+parts[4]
	case 2:
		layout, value = layout+" 15:04:05", value+" "+parts[4]
	}
	at, err := time.Parse(layout, value)
	if err != nil {
		return "", fmt.Errorf("%q is no day in the order %s with four digits of the year", text, n.Order)
	}
	if kind == resource.Date {
		return at.Format(time.DateOnly), nil
	}
	return at.Format(time.RFC3339), nil
}

func (n Notation) number(text string) (string, error) {
	parts := numbers[n.Decimal].FindStringSubmatch(text)
	if parts == nil {
		return "", fmt.Errorf("%q is no number with a decimal %s", text, n.Decimal)
	}
	plain := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, parts[2])
	if plain = strings.TrimLeft(plain, "0"); plain == "" {
		plain = "0"
	}
	if parts[1] == "-" {
		plain = "-" + plain
	}
	if parts[3] != "" {
		plain += "." + parts[3]
	}
	return plain, nil
}
