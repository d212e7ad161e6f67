package searches

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// condition is a parameter of a search, with its values.
type condition struct {
	field
	operator string // "", Prefix, From or To
	values   []string
}

// holds reports whether a record meets all conditions.
func (s search) holds(record trial.Record) bool {
	for _, c := range s.conditions {
		if !slices.ContainsFunc(texts(record, c.Name), func(text string) bool {
			return slices.ContainsFunc(c.values, func(value string) bool { return c.meets(text, value) })
		}) {
			return false
		}
	}
	return true
}

// texts returns the values of a member of a record, or of its address, each as a text.
func texts(record trial.Record, name string) (all []string) {
	value := record[name]
	for _, of := range []string{"address", "registeredAddress"} {
		if inner, is := record[of].(map[string]any); is && value == nil {
			value = inner[name]
		}
	}
	list, is := value.([]any)
	if !is {
		list = []any{value}
	}
	for _, each := range list {
		switch each := each.(type) {
		case string:
			all = append(all, each)
		case json.Number:
			all = append(all, each.String())
		}
	}
	return all
}

// meets reports whether a value of a record is what the condition asks for with one of its values.
func (c condition) meets(text, value string) bool {
	switch c.Kind {
	case "name":
		fold := func(name string) string { return cases.Fold().String(withoutMarks(name)) }
		if c.Name == "plateNumber" { // identity values are compared in NFC
			fold = func(plate string) string { return cases.Fold().String(norm.NFC.String(plate)) }
		}
		if c.operator == "Prefix" {
			return strings.HasPrefix(fold(text), fold(value))
		}
		return fold(text) == fold(value)
	case "uuid":
		return strings.EqualFold(text, value)
	case "date":
		return c.within(strings.Compare(text, value), strings.Compare(text, value))
	case "date-time":
		at, err := time.Parse(time.RFC3339Nano, text)
		first, last := span(value)
		return err == nil && c.within(at.Compare(first), at.Compare(last))
	case "decimal":
		x, is := new(big.Rat).SetString(text)
		y, _ := new(big.Rat).SetString(value)
		return is && c.within(x.Cmp(y), x.Cmp(y))
	default:
		return norm.NFC.String(text) == norm.NFC.String(value)
	}
}

// within reports whether a value is in the range of a condition, as it compares with the first and the last value that
// the condition's value stands for.
func (c condition) within(first, last int) bool {
	return (c.operator == "To" || first >= 0) && (c.operator == "From" || last <= 0)
}

// span returns the first and the last instant that a text stands for: itself, or those of a day.
func span(text string) (first, last time.Time) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, day.AddDate(0, 0, 1).Add(-1)
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err) // only what this package makes is read
	}
	return at, at
}

// value returns a value to ask for: that of a record, or one like it. has is false if the record has none.
func (c condition) value(random *rand.Rand, record trial.Record) (value string, has bool) {
	all := texts(record, c.Name)
	if len(all) == 0 {
		return "", false
	}
	text := all[random.IntN(len(all))]
	switch c.Kind {
	case "name":
		if c.operator == "Prefix" {
			runes := []rune(text)
			if len(runes) < 2 {
				return "", false
			}
			text = string(runes[:2+random.IntN(len(runes)-1)])
		}
		return anyCase(random, text), text != ""
	case "uuid":
		if random.IntN(2) == 0 {
			text = strings.ToUpper(text)
		}
	case "date":
		day, _ := span(text)
		text = day.AddDate(0, 0, c.shift(random)).Format(time.DateOnly)
	case "date-time":
		at, _ := span(text)
		at = at.AddDate(0, 0, c.shift(random))
		switch random.IntN(3) {
		case 0:
			text = at.Format(time.DateOnly)
		case 1:
			text = at.In(time.FixedZone("", 2*60*60)).Format(time.RFC3339Nano)
		default:
			text = at.Format(time.RFC3339Nano)
		}
	case "decimal":
		n, _ := new(big.Rat).SetString(text)
		text = n.Add(n, big.NewRat(int64(c.shift(random)), 4)).FloatString(2 + random.IntN(4))
	default:
		if random.IntN(2) == 0 {
			text = norm.NFD.String(text)
		}
	}
	return text, text != ""
}

// shift returns how far from the value of a record the bound of a range is; 0 mostly for a single value.
func (c condition) shift(random *rand.Rand) int {
	if c.operator == "" && random.IntN(4) > 0 {
		return 0
	}
	return random.IntN(41) - 20
}

// withoutMarks returns a name without accents, and with one apostrophe for another.
func withoutMarks(name string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case r >= '\u0300' && r <= '\u036f':
			return -1
		case r == '’':
			return '\''
		}
		return r
	}, norm.NFKD.String(name)))
}

// anyCase returns a text in upper case, in lower case or as it is.
func anyCase(random *rand.Rand, text string) string {
	switch random.IntN(3) {
	case 0:
		return strings.Map(func(r rune) rune { // without the letters whose upper case is another number of letters
			if upper := unicode.ToUpper(r); unicode.ToLower(upper) == r && utf8.RuneLen(upper) == utf8.RuneLen(r) {
				return upper
			}
			return r
		}, text)
	case 1:
		return strings.ToLower(text)
	default:
		return text
	}
}

// members has the members that name what is embedded under a name. A record has at most one of them.
var members = map[string][]string{
	"policyholder": {"policyholderId"}, "vehicle": {"vehicleId"}, "driver": {"driverId"},
	"property": {"propertyId", "propertyRef"}, "properties": {"propertyIds"}, "pet": {"petId"},
	"travellers": {"travellerIds"}, "business": {"businessId"}, "debtor": {"debtorId"}, "policy": {"policyNumber"},
	"claim": {"claimNumber"}, "reversed": {"reverses"}, "broker": {"brokerId"}, "agent": {"agentId"},
}

// embedded returns what a search embeds in a record under a name, and whether it lacks something. has is false if the
// record names nothing.
func embedded(name string, record trial.Record, all map[string][]trial.Record) (value any, unresolved, has bool) {
	of, known := members[name]
	if !known {
		panic(fmt.Sprintf("the model does not know what %s embeds", name))
	}
	for _, member := range of {
		switch named := record[member].(type) {
		case string:
			value, unresolved = look(named, name, all)
			return value, unresolved, true
		case []any:
			list := []any{}
			for _, each := range named {
				one, lacks := look(each.(string), name, all)
				list, unresolved = append(list, one), unresolved || lacks
			}
			return list, unresolved, true
		}
	}
	return nil, false, false
}

// look returns the record with an id or number, nil if there is none. Records that are searched together have the name
// of their resource; those that are embedded do not.
func look(id, expansion string, all map[string][]trial.Record) (value any, unresolved bool) {
	number := map[string]string{"policy": "policyNumber", "claim": "claimNumber"}[expansion]
	for of, records := range all {
		if of == together || number != "" && !slices.Contains(numbered[number], of) {
			continue
		}
		for _, record := range records {
			if number == "" && record.Text("id") == id || number != "" && record.Text(number) == id {
				return map[string]any(record), false
			}
		}
	}
	return nil, true
}
