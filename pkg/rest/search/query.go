package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/query"
)

// The bounds of the parameters.
const (
	// mostValues is how often a field may be repeated in a search.
	mostValues = 5
	// mostText is the greatest length of a value, in bytes.
	mostText = 1024
)

// The parameters that are not those of a field.
const (
	orderName  = "order"
	fieldsName = "fields"
	limitName  = "limit"
	cursorName = "cursor"
	expandName = "expand"
)

// The values of the parameter order.
const (
	oldest = "oldest"
	newest = "newest"
)

// Table is what can be searched among the records of a resource, or of several together.
type Table struct {
	// Resource is the last segment of the path.
	Resource string
	// Fields are the fields, of which the first leads where several could.
	Fields []Field
	// Members are the names of the members that a record may have, for the parameter fields.
	Members []string
	// Expand are the records that can be embedded, for the parameter expand.
	Expand []Expansion
}

// Query is a search as it was asked for.
type Query struct {
	// Limit is the greatest number of records of a page.
	Limit int
	// Fields are the members to return; all if there are none.
	Fields []string

	table      *Table
	conditions []condition
	after      uuid.UUID
	descending bool
	expand     []string
}

// condition is a field with the intervals of which its value has to lie in one.
type condition struct {
	*Field
	operator operator
	values   []string
	any      []interval
}

// parameter is a parameter of a field.
type parameter struct {
	field    *Field
	operator operator
}

func (p parameter) name() string { return p.field.Name + suffixes[p.operator] }

func (t *Table) parameters() []parameter {
	var all []parameter
	for i := range t.Fields {
		for _, op := range t.Fields[i].operators() {
			all = append(all, parameter{&t.Fields[i], op})
		}
	}
	return all
}

// names returns the names of some parameters, for a refusal.
func names(of []parameter) string {
	var all []string
	for _, p := range of {
		all = append(all, p.name())
	}
	return strings.Join(all, ", ")
}

// Parse reads the parameters of a search. Errors: a problem that names what is wrong and what is allowed.
func (t *Table) Parse(raw string) (*Query, error) {
	q := &Query{table: t, Limit: query.DefaultLimit}
	values, err := query.Parse(raw)
	if err != nil {
		return nil, err
	}
	cursor := ""
	err = query.EachOf(values, func(name string, values []string) (wrong string) {
		if slices.Contains(t.further(), name) {
			if len(values) > 1 {
				return query.Repeated
			}
			if name == cursorName {
				cursor = values[0]
				return ""
			}
			return q.take(name, values[0])
		}
		return q.condition(name, values)
	})
	if err != nil {
		return nil, err
	}
	if _, has := values[cursorName]; has && !q.resume(cursor) {
		return nil, problem.New(problem.BadParameter, "The cursor is of another search, or is none.").
			InParameter(cursorName, "take it from the Link header of this search, with the same conditions and order")
	}
	if len(q.conditions) > 0 && q.lead() == nil {
		return nil, t.nothingLeads(q.conditions)
	}
	return q, nil
}

// take reads a parameter that is not that of a field.
func (q *Query) take(name, value string) (wrong string) {
	switch name {
	case limitName:
		return query.Whole(value, 1, query.MaxLimit, &q.Limit)
	case orderName:
		q.descending = value == newest
		if value != newest && value != oldest {
			return "must be " + oldest + " or " + newest
		}
	case expandName:
		return q.takeExpansions(value)
	default:
		for member := range strings.SplitSeq(value, ",") {
			if !slices.Contains(q.table.Members, member) {
				return "names " + strconv.Quote(problem.Short(member)) + ", which is no member; the members are " +
					strings.Join(q.table.Members, ", ")
			}
			q.Fields = append(q.Fields, member)
		}
	}
	return ""
}

// further returns the parameters that are not those of a field.
func (t *Table) further() []string {
	all := []string{orderName, limitName, cursorName, fieldsName}
	if len(t.Expand) > 0 {
		all = append(all, expandName)
	}
	return all
}

// condition reads a parameter of a field.
func (q *Query) condition(name string, values []string) (wrong string) {
	all := q.table.parameters()
	at := slices.IndexFunc(all, func(p parameter) bool { return p.name() == name })
	if at < 0 {
		return "is not known here; known are " + names(all) + ", " +
			strings.Join(q.table.further(), ", ")
	}
	c := condition{Field: all[at].field, operator: all[at].operator, values: values}
	switch {
	case len(values) > mostValues:
		return "is sent more than " + strconv.Itoa(mostValues) + " times"
	case len(values) > 1 && (c.operator == from || c.operator == to):
		return query.Repeated
	}
	for _, value := range values {
		switch {
		case value == "":
			return "is empty"
		case !utf8.ValidString(value):
			return "is not UTF-8"
		case len(value) > mostText:
			return "is longer than " + strconv.Itoa(mostText) + " bytes"
		}
		i, wrong := c.reads(c.operator, value)
		if wrong != "" {
			return wrong
		}
		c.any = append(c.any, i)
	}
	q.conditions = append(q.conditions, c)
	return ""
}

// nothingLeads is the refusal of conditions none of which has an index.
func (t *Table) nothingLeads(conditions []condition) error {
	var leading []parameter
	for _, p := range t.parameters() {
		if p.field.Index != "" {
			leading = append(leading, p)
		}
	}
	allowed := "leave the condition out: the records of " + t.Resource + " are only listed in order of creation"
	if len(leading) > 0 {
		allowed = "is compared with what another condition finds; add one of " + names(leading)
	}
	p := problem.New(problem.BadParameter, "No condition of the search has an index to begin with.")
	for _, c := range conditions {
		p.InParameter(parameter{c.Field, c.operator}.name(), allowed)
	}
	return p
}

// lead returns the condition whose index is read: one that asks for values rather than one that asks for a range, and
// of those the first field of the table. It returns nil if no condition has an index.
func (q *Query) lead() *condition {
	var best *condition
	for i := range q.conditions {
		c := &q.conditions[i]
		if c.Index != "" && (best == nil || c.rank(q.table) < best.rank(q.table)) {
			best = c
		}
	}
	return best
}

func (c *condition) rank(t *Table) int {
	at := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == c.Name })
	return int(c.operator)*len(t.Fields) + at
}

// Finds returns the finds that the search begins with. Their results together are what the conditions are compared
// with.
func (q *Query) Finds(unled docstore.Keys) []docstore.Query {
	base := docstore.Query{After: q.after, Descending: q.descending, Settled: true, Near: true}
	lead := q.lead()
	if lead == nil {
		base.Equal = unled
		return []docstore.Query{base}
	}
	ranges := slices.Clone(lead.any)
	if len(ranges) == 1 {
		// The other bound of the same member makes the range smaller.
		for _, c := range q.conditions {
			if c.Index == lead.Index && c.operator != lead.operator && len(c.any) == 1 {
				ranges[0] = ranges[0].within(c.any[0])
			}
		}
	}
	var all []docstore.Query
	for _, i := range ranges {
		find, from, to := base, lead.indexed(i.from), lead.indexed(i.to)
		if from == to {
			find.Equal = docstore.Keys{lead.Index: from}
		} else {
			find.Ranges = []docstore.Range{{Index: lead.Index, From: from, To: to}}
		}
		if !slices.ContainsFunc(all, func(other docstore.Query) bool { return reflect.DeepEqual(find, other) }) {
			all = append(all, find)
		}
	}
	return all
}

// holds reports whether a record meets all conditions.
func (q *Query) holds(record []byte) bool {
	return !slices.ContainsFunc(q.conditions, func(c condition) bool { return !c.holds(record) })
}

func (c *condition) holds(record []byte) bool {
	value := c.value(record)
	switch value.Kind() {
	case 0, 'n':
		return false
	case '[':
		return slices.ContainsFunc(elements(value), c.holdsFor)
	default:
		return c.holdsFor(value)
	}
}

// The cursor of a search is an id and the first bytes of a digest of it and of the search.
const digestLength = 8

// Cursor returns the cursor of a page that ends with an id.
func (q *Query) cursor(last uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(append(last[:], q.digest(last)...))
}

// resume takes the place where a page begins from a cursor, and reports whether the cursor is one of this search.
func (q *Query) resume(cursor string) bool {
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(text) != len(q.after)+digestLength {
		return false
	}
	copy(q.after[:], text)
	return bytes.Equal(text[len(q.after):], q.digest(q.after))
}

// digest depends on an id and on what decides which records a search finds, and in which order.
func (q *Query) digest(id uuid.UUID) []byte {
	conditions := url.Values{}
	for _, c := range q.conditions {
		conditions[parameter{c.Field, c.operator}.name()] = c.values
	}
	conditions.Set(orderName, strconv.FormatBool(q.descending))
	sum := sha256.Sum256(slices.Concat(id[:], []byte(q.table.Resource+"?"+conditions.Encode())))
	return sum[:digestLength]
}

// next returns the parameters of the page after the one that ends with an id.
func (q *Query) next(last uuid.UUID) url.Values {
	values := url.Values{limitName: {strconv.Itoa(q.Limit)}, cursorName: {q.cursor(last)}}
	for _, c := range q.conditions {
		values[parameter{c.Field, c.operator}.name()] = c.values
	}
	if q.descending {
		values.Set(orderName, newest)
	}
	if len(q.Fields) > 0 {
		values.Set(fieldsName, strings.Join(q.Fields, ","))
	}
	if len(q.expand) > 0 {
		values.Set(expandName, strings.Join(q.expand, ","))
	}
	return values
}
