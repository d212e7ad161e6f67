package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/rest/search"
)

// Resource declares one resource. T is the type of its records: a pointer to a struct that has RecordID and
// SetRecordID, and whose fields' tags say which value set a member has (`set`) and which members are not the caller's
// (`issued`, `fixed`, `kept`). All pointers share one compiled form of the package, so that a further resource costs
// the compiler little. A declaration that contradicts itself or names what does not exist stops the start; see
// Server.Open.
type Resource[T any] struct {
	// Name is the path segment, such as "vehicle".
	Name string
	// Collection is where the records are stored; a collection named after the resource where empty. Resources of one
	// service that name the same collection share its unique indexes.
	Collection string
	// Public says that every organisation that shares the exchange reads the records. The owner of each alone changes
	// it. All resources of a collection say the same.
	Public bool
	// SharedBy is the filter with the number of the policy that a record is under, and shared with. The participants
	// of the policy see the record, and those with the right named Right write it; the owner alone if Right is empty.
	// All resources of a collection say the same.
	SharedBy, Right string

	// Aliases are further names that members are accepted under: the name sent -> the name of the record's member. A
	// name mapped to "" is accepted and dropped: responses have it in addition to the members of the record, and
	// callers send it back.
	Aliases map[string]string
	// Flatten are names of objects in a body whose members are read as members of the record itself.
	Flatten []string
	// Filters are the members that a list can be narrowed by.
	Filters []Filter[T]
	// Unique are the values that no two records of the collection share.
	Unique []Unique[T]
	// Search are the members that records are searched by, the most selective first. One with an index leads a search;
	// where a filter or a unique value has the index too, its values are those of the field (search.Field.Key).
	Search []search.Field
	// Expand are the members that name other records (tag `refers`), which a search can embed.
	Expand []search.Expansion

	// Checks are the rows of the errors table for the creation of a record, in its order. The first that fails decides
	// the response.
	Checks []Check[T]
	// Rules are conditions that no row lists. They run after the checks, and all their violations are reported
	// together.
	Rules []Check[T]
	// ListsIdempotency says that the errors table has a row for the replay of an Idempotency-Key, after the other
	// rows. Otherwise a replay is recognised before the checks, so that a retry cannot fail because of what has
	// changed since.
	ListsIdempotency bool

	// Issue sets the members that the exchange issues, and defaults, on a new record. Members tagged issued and kept
	// are empty when it runs, whatever the caller sent.
	Issue func(d *Draft[T])
	// Pin returns index values of a new record that cannot be read off the record itself. They never change.
	Pin func(ctx context.Context, d *Draft[T]) (docstore.Keys, error)
	// Indexes are the indexes whose values Pin returns, but those of filters.
	Indexes []docstore.Index
	// MadeOf, if set, is the name of an index by which the records are found that an action has made of a record: it
	// holds the id of that one.
	MadeOf string

	// BeforeReplace completes or refuses a record that replaces another, after the protection of the members that are
	// not the caller's and before the checks.
	BeforeReplace func(d *Draft[T]) error
	// BeforeReplaceRefuses are the problems that BeforeReplace returns.
	BeforeReplaceRefuses []problem.Kind
	// Immutable, if set, says that a record never changes: a PUT with its content returns the record, and a PUT with
	// any other content is refused with this problem.
	Immutable func() error
	// NoReplace says that there is no PUT.
	NoReplace bool
	// Merge says that a PUT replaces only the members sent. Otherwise its body is the whole record.
	Merge bool

	// Recall, if set, sets the members of a record as they were at an instant that the service itself has altered
	// since; see Records.Alter. It reports whether it has set any. Without it, what the record was before it was
	// altered is not known.
	Recall func(ctx context.Context, v T, at time.Time) (set bool, err error)
	// Complete gives a record that an earlier release has stored the members that it did not store.
	Complete Completion[T]

	// Status returns the member that holds the state of a record, whose tag names the value set of the states. It is
	// nil for a resource without states.
	Status func(v T) **string
	// Temporary are the states that give way to another by themselves: those that Change.MoveUntil moves to.
	Temporary []string
	// Actions are the operations POST /{name}/{id}:{action} and POST /{name}/{id}/{action}.
	Actions []Action[T]
	// Unusual, if set, notes what is unusual about a record that has passed all checks and is to be written: a new
	// one, or one that replaces Draft.Stored, which has a Draft.Record. It refuses nothing: what it cannot look at, it
	// does not warn of. Where the store does not respond, the write that follows says so.
	Unusual func(ctx context.Context, d *Draft[T])

	// Begins, if set, says that actions may have effective dates; see Change.CountsFrom. It returns the instant before
	// which nothing of a record counts, the zero time for none.
	Begins func(v T) time.Time
	// Extra returns members that are not the record's, for the response of a creation and of the actions that ask for
	// them, such as the status of a claim under the name of every resource's status.
	Extra func(v T) map[string]any

	// DryRun, if set, is the name of POST /x/{name}/{dryrun}, which takes the body of a creation and returns the
	// outcome of every check without writing anything.
	DryRun string
	// Announce, if set, is called with the document of each new record, which is stored with the unsent mark: it has
	// a message sent.
	Announce func(docstore.Document)
}

// Completion is how a record of an earlier release gets members that every record has since.
type Completion[T any] struct {
	// Member is one of these members; empty if there are none. A record that is stored with it is complete.
	Member string
	// Run sets the members, from the instant of the creation and the index values that were pinned then.
	Run func(v T, created time.Time, pinned docstore.Keys) error
}

// Unique declares that no two records of a collection share a value.
type Unique[T any] struct {
	// Index is the name of the unique index.
	Index string
	// Value returns the value of a record, "" for none. Values are compared in Unicode NFC.
	Value func(v T) string
	// Global means that the value is unique among the records of all organisations. It is for what the exchange
	// issues, and for what names a record that the caller sees; see docstore.Index.
	Global bool
	// Taken returns the refusal of a record whose value another record has, given the id of that record. It is nil
	// for a value that the exchange issues: then another value is issued.
	Taken func(holder string) error
	// Anew, in place of Taken, is for the value of a record that an action makes (Spawn), which follows from those
	// that it has made before: where another record has the value by now, the action decides anew.
	Anew bool
}

// Draft is a record on its way to be written.
type Draft[T any] struct {
	// Value is the record as it will be written.
	Value T
	// Stored is the record that Value replaces; nil for a new record.
	Stored T
	// Record is what is stored of the record under replacement or action, with its history; nil in a creation, and in
	// the creation of a second record by an action.
	Record *Record[T]
	// Now is the instant of the request, in UTC.
	Now time.Time
	// Spawned says that the exchange makes the record, and not a caller.
	Spawned bool
	// Aside is what the service keeps with a new record, and no caller sees. Record.Aside returns it.
	Aside jsontext.Value

	// least is the least id that a new record may have.
	least    uuid.UUID
	key      *history.UsedKey
	warnings []Warning
	facts    map[any]fact
	look     lookUp
	// differs is how a replacement differed from what is stored, before its checks.
	differs difference
}

// Warning is what is unusual about a record that was written. The response to the caller has it.
//
// What is unusual about a record that was written.
type Warning struct {
	// The name of the kind of warning, which is stable.
	Type string `json:"type"`
	// The kind of warning in words, the same for every occurrence.
	Title string `json:"title"`
	// What is unusual about this record.
	Detail string `json:"detail"`
}

// Warn adds a warning to the response.
func (d *Draft[T]) Warn(kind, title, detail string) {
	d.warnings = append(d.warnings, Warning{kind, title, detail})
}

// identified is what a record must be.
type identified interface {
	RecordID() string
	SetRecordID(id string)
}

func identity[T any](v T) identified { return any(v).(identified) }

// recordType returns the struct that T points to.
func recordType[T any]() reflect.Type {
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Pointer || of.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("rest: %s is no pointer to a struct, as records and the bodies of actions are", of))
	}
	return of.Elem()
}

// empty returns a record, or a body of an action, without members.
func empty[T any]() T { return reflect.New(recordType[T]()).Interface().(T) }

// copyOf returns a record with the members of another. What its members point to is the same.
func copyOf[T any](v T) T {
	record := reflect.New(recordType[T]())
	record.Elem().Set(reflect.ValueOf(v).Elem())
	return record.Interface().(T)
}

// StaticList is a resource that is one list, part of the service: read-only, and always returned whole.
type StaticList struct {
	// Name is the path segment.
	Name string
	// Body is the list, a JSON array.
	Body []byte
	// Of is the type of its elements.
	Of reflect.Type
}

// AddStatic declares a static list.
func AddStatic(s *Server, l StaticList) { s.resources = append(s.resources, &l) }

var readMethods = []string{http.MethodGet, http.MethodHead}

func (l *StaticList) name() string                { return l.Name }
func (l *StaticList) collectionName() string      { return "" }
func (l *StaticList) public() bool                { return false }
func (l *StaticList) sharing() (by, right string) { return "", "" }
func (l *StaticList) indexes() []docstore.Index   { return nil }
func (l *StaticList) open(docstore.Collection)    {}

// keysOf is never called, since the list stores nothing.
func (l *StaticList) keysOf(docstore.Document) (docstore.Keys, error) { return nil, nil }

// inspected is never called, since the list stores nothing.
func (l *StaticList) inspected(docstore.Document) (inspect.Record, error) {
	return inspect.Record{}, nil
}

func (l *StaticList) targets() []string { return nil }

func (l *StaticList) route() Route { return Route{Resource: l.Name, Collection: readMethods} }

func (l *StaticList) dispatch(c *gin.Context, id, _ string) (handle func() error, allowed []string) {
	switch c.Request.Method {
	case http.MethodGet, http.MethodHead:
		if id == "" {
			return func() error { return l.list(c) }, nil
		}
	default:
		if id == "" {
			return nil, readMethods
		}
	}
	return nil, nil
}

// list serves the whole list. It takes the paging parameters as every list does; there is only one page.
func (l *StaticList) list(c *gin.Context) error {
	values := c.Request.URL.Query()
	for _, name := range pagingParameters {
		values.Del(name)
	}
	if len(values) > 0 {
		return query.None(values.Encode())
	}
	send(c, http.StatusOK, l.Body)
	return nil
}

// Filter is a member that a list can be narrowed by. Each has an index of its own.
type Filter[T any] struct {
	// Index is the name of the index and of the member.
	Index string
	// Key returns the index value of a record, "" for none.
	Key func(v T) string
	// params are the query parameters and what each asks of the index.
	params []param
	// ranged says that they ask for ranges, which a unique index does not have.
	ranged bool
	// Since is the migration that gives the records of earlier releases their values; see docstore.Index.
	Since int
}

// param is one query parameter.
type param struct {
	name string
	// format is int64 or date, empty for text. means says what the parameter asks for.
	format, means string
	// apply adds to the query, or returns what is wrong with the value.
	apply func(value string, q *docstore.Query) (wrong string)
}

// Exact returns the filter that narrows a list to the records whose member is the value, compared in Unicode NFC.
func Exact[T any](name string, key func(T) string) Filter[T] {
	return Filter[T]{Index: name, Key: func(v T) string { return norm.NFC.String(key(v)) },
		params: []param{{name, "", "the value of " + name, func(value string, q *docstore.Query) string {
			q.Equal[name] = norm.NFC.String(value)
			return ""
		}}}}
}

// Whole returns the filter that narrows a list to the records whose member is the whole number.
func Whole[T any](name string, key func(T) string) Filter[T] {
	return Filter[T]{Index: name, Key: key,
		params: []param{{name, "int64", "the value of " + name, func(value string, q *docstore.Query) string {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return "must be a whole number"
			}
			q.Equal[name] = strconv.FormatInt(n, 10)
			return ""
		}}}}
}

// Prefix returns the filter that narrows a list to the records whose member is a name that begins with the value, as
// search.FoldName folds both.
func Prefix[T any](name string, key func(T) string) Filter[T] {
	return Filter[T]{
		Index:  name,
		Key:    func(v T) string { return search.FoldName(key(v)) },
		ranged: true,
		params: []param{{name, "", "what " + name + " begins with, in any case, with or without accents",
			func(value string, q *docstore.Query) string {
				from := search.FoldName(value)
				// U+10FFFF is the greatest code point, so that nothing with the prefix sorts behind it.
				q.Ranges = append(q.Ranges, docstore.Range{Index: name, From: from, To: from + "\U0010FFFF"})
				return ""
			}}},
	}
}

// DateRange returns the filter that narrows a list to the records whose member is a day from {name}From to {name}To,
// both inclusive.
func DateRange[T any](name string, key func(T) string) Filter[T] {
	bound := func(suffix, means string, set func(*docstore.Range, string)) param {
		return param{name + suffix, "date", means, func(value string, q *docstore.Query) string {
			if _, err := time.Parse(time.DateOnly, value); err != nil {
				return "must be a day of the calendar written YYYY-MM-DD"
			}
			for i := range q.Ranges {
				if q.Ranges[i].Index == name {
					set(&q.Ranges[i], value)
					return ""
				}
			}
			r := docstore.Range{Index: name}
			set(&r, value)
			q.Ranges = append(q.Ranges, r)
			return ""
		}}
	}
	return Filter[T]{Index: name, Key: key, ranged: true, params: []param{
		bound("From", "the first day of "+name, func(r *docstore.Range, day string) { r.From = day }),
		bound("To", "the last day of "+name, func(r *docstore.Range, day string) { r.To = day }),
	}}
}

// quarters are the months with which quarters begin and end, by their names in a period.
var quarters = map[string][2]string{"Q1": {"01", "03"}, "Q2": {"04", "06"}, "Q3": {"07", "09"}, "Q4": {"10", "12"}}

// ByPeriod returns the filter named period that narrows a list to the records whose member is an instant (RFC 3339) in
// a month or a quarter, in UTC unless Resource.Pin has another month, written 2006-01, for it. The instant means
// something. A record without it is in no period.
func (f Filter[T]) ByPeriod(means string) Filter[T] {
	instant, name := f.Key, f.Index
	f.Key = func(v T) string {
		at, err := time.Parse(time.RFC3339Nano, instant(v))
		if err != nil {
			return ""
		}
		return at.UTC().Format("2006-01")
	}
	f.ranged = true
	means = "the period in which " + means + ": a month such as 2026-11, or a quarter such as 2026-Q4"
	f.params = []param{{"period", "", means, func(value string, q *docstore.Query) string {
		if _, err := time.Parse("2006-01", value); err == nil {
			q.Equal[name] = value
			return ""
		}
		year, quarter, _ := strings.Cut(value, "-")
		months, is := quarters[quarter]
		if _, err := time.Parse("2006", year); err != nil || !is {
			return "must be a month or a quarter, written 2026-11 or 2026-Q4"
		}
		from, to := year+"-"+months[0], year+"-"+months[1]
		q.Ranges = append(q.Ranges, docstore.Range{Index: name, From: from, To: to})
		return ""
	}}}
	return f
}

// Text returns what a pointer points to, "" for nil: the index value of an optional member.
func Text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
