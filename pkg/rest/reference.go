package rest

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/external"
	"insurance.example/exchange/pkg/rest/query"
)

// referring is the type of the member that has the name which callers give to a record.
type referring interface {
	json.Unmarshaler
	// Value returns the name, and whether there is one. IsZero reports whether nothing was sent.
	Value() (string, bool)
	IsZero() bool
	// Forget leaves what was sent, which is no name.
	Forget()
}

// byReference is the parameter of a list that has names.
var byReference = param{external.Member, "", "the name that the caller's organisation has given to the record",
	func(value string, q *docstore.Query) string {
		q.Equal[referenceIndex] = value
		return ""
	}}

// named reports whether callers may give names to records of the resource.
func (r *Records[T]) named() bool {
	return slices.ContainsFunc(r.members, func(m member) bool { return m.reference })
}

// referring returns the member of a record with the name that callers give to it; nil if there is no such member.
func (r *Records[T]) referring(v T) referring {
	for _, m := range r.members {
		if m.reference {
			return reflect.ValueOf(v).Elem().FieldByIndex(m.index).Addr().Interface().(referring)
		}
	}
	return nil
}

// referenceOf returns the name that callers have given to a record, and whether there is one.
func (r *Records[T]) referenceOf(v T) (string, bool) {
	if of := r.referring(v); of != nil {
		return of.Value()
	}
	return "", false
}

// referenceKey returns the value under which the index has a name of an organisation's. A collection that everybody
// reads has the values of all organisations in one index.
func (r *documents) referenceKey(owner, reference string) string {
	of := r.resource + "/"
	if r.everybody {
		of += owner + "/"
	}
	return of + norm.NFC.String(reference)
}

// references returns the value under which the index has a name of the caller's organisation.
func (r *documents) references(ctx context.Context, reference string) []string {
	return []string{r.referenceKey(request.OrganisationFrom(ctx).Name(), reference)}
}

// pinReference pins the name of a record that is written, under which its owner finds it.
func (r *Records[T]) pinReference(record *Record[T], owner string) {
	of := r.referring(record.Value)
	if of == nil {
		return
	}
	reference, is := of.Value()
	switch pinned := &record.state.Pinned; {
	case !is:
		delete(*pinned, referenceIndex)
	case *pinned == nil:
		*pinned = docstore.Keys{}
		fallthrough
	default:
		(*pinned)[referenceIndex] = r.referenceKey(owner, reference)
	}
}

// recallReference gives a stored record the name that is pinned. Another one is from a release that knew no names: from
// before the record had one, or of a replica that changed the record since.
func (r *Records[T]) recallReference(record *Record[T]) {
	of := r.referring(record.Value)
	if of == nil {
		return
	}
	pinned := record.state.Pinned[referenceIndex]
	if pinned == "" {
		of.Forget()
		return
	}
	if reference, is := of.Value(); !is || r.referenceKey(record.owner, reference) != pinned {
		text, _ := jsontext.AppendQuote(nil, strings.TrimPrefix(pinned, r.referenceKey(record.owner, "")))
		_ = of.UnmarshalJSON(text) // it takes every text
	}
}

// keepReference gives a record that replaces another the name of that one, if it has none itself. What was stored
// before there were names stays what it is where it is sent back.
func (r *Records[T]) keepReference(v, stored T) {
	is, was := r.referring(v), r.referring(stored)
	if is == nil {
		return
	}
	sent := reflect.New(reflect.TypeOf(is).Elem())
	sent.Elem().Set(reflect.ValueOf(is).Elem())
	sent.Interface().(referring).Forget()
	if is.IsZero() || reflect.DeepEqual(sent.Interface(), was) {
		reflect.ValueOf(is).Elem().Set(reflect.ValueOf(was).Elem())
	}
}

// loseReference takes the name off a record that is made of another.
func (r *Records[T]) loseReference(v T) {
	if of := r.referring(v); of != nil {
		reflect.ValueOf(of).Elem().SetZero()
	}
}

// referenceRules returns the rules about the name of a record: that it is one, and that no other record has it. What
// keeps it unique is the index itself.
func (r *Records[T]) referenceRules() []Check[T] {
	if !r.named() {
		return nil
	}
	return []Check[T]{{
		Name: "externalReference is no name", DependsOn: []string{external.Member},
		Refuses: []problem.Kind{problem.Invalid},
		Run: func(_ context.Context, d *Draft[T]) error {
			of := r.referring(d.Value)
			fault := "must be a string"
			if reference, is := of.Value(); is {
				fault = external.Fault(reference)
			}
			if of.IsZero() || fault == "" {
				return nil
			}
			return problem.New(problem.Invalid, "").At("/"+external.Member, fault)
		},
	}, {
		Name: "another record has the externalReference", DependsOn: []string{external.Member},
		Refuses: []problem.Kind{problem.ReferenceTaken}, Run: r.referenceFree,
	}}
}

// referenceFree refuses a name that another record of the caller's organisation has. That the record is another's is
// found out when it is written.
func (r *Records[T]) referenceFree(ctx context.Context, d *Draft[T]) error {
	reference, is := r.referenceOf(d.Value)
	if !is || d.Record != nil && !request.OrganisationFrom(ctx).Sees(d.Record.owner) {
		return nil
	}
	holder, held, err := r.namedBy(ctx, reference)
	if err != nil || !held || holder.ID.String() == identity(d.Value).RecordID() {
		return err
	}
	if holder.Version > 0 {
		if again, err := r.madeWith(holder, d.key); err != nil || again {
			return err
		}
	}
	return referenceTaken(holder)
}

// referenceTaken returns the refusal of a name that another record has; of the zero value where that is not to be told.
func referenceTaken(holder docstore.Document) error {
	p := problem.New(problem.ReferenceTaken, "").At("/"+external.Member, "is the name of another record")
	if holder.Version > 0 {
		p.With("existingId", holder.ID)
	}
	return p
}

// namedBy returns the record to which the caller's organisation has given a name, and whether there is one. One that
// the context assumes has no version.
func (r *documents) namedBy(ctx context.Context, reference string) (doc docstore.Document, found bool, err error) {
	for path, body := range peer.Assumed(ctx) {
		id, is := strings.CutPrefix(path, r.assumedAt(""))
		if !is {
			continue
		}
		if name, _ := jsonmember.Text(body, external.Member); name == "" ||
			norm.NFC.String(name) != norm.NFC.String(reference) {
			continue
		}
		doc.ID, is = parseID(id)
		doc.Body = body
		return doc, is, nil
	}
	who := request.OrganisationFrom(ctx)
	of := docstore.Keys{referenceIndex: r.referenceKey(who.Name(), reference)}
	docs, err := r.collection.Find(ctx, who, docstore.Query{Equal: of, Limit: 1, Own: true, WithState: true})
	if err != nil || len(docs) == 0 {
		return doc, false, err
	}
	return docs[0], true, nil
}

// Resolve has members name records by their ids or numbers that named them by ref: and the name which the caller's
// organisation has given them, or by ref: and their number. What names nothing stays as it is. A check calls it before
// it looks the records up. Errors: problem.AmbiguousReference; docstore.ErrUnavailable, or another service does not
// respond.
func (d *Draft[T]) Resolve(ctx context.Context, members ...string) error {
	record := reflect.ValueOf(d.Value).Elem()
	for _, name := range members {
		m, _ := membersOf(record.Type()).find(name)
		field, pointer := reflect.Indirect(record.FieldByIndex(m.index)), "/"+name
		switch field.Kind() {
		case reflect.Slice:
			for i := range field.Len() {
				if err := d.resolve(ctx, &m, field.Index(i), pointer+"/"+strconv.Itoa(i)); err != nil {
					return err
				}
			}
		case reflect.String:
			if err := d.resolve(ctx, &m, field, pointer); err != nil {
				return err
			}
		case reflect.Struct:
			text := reflect.New(reflect.TypeFor[string]()).Elem()
			text.SetString(referenceIn(field))
			if err := d.resolve(ctx, &m, text, pointer); err != nil {
				return err
			}
			if text.String() != referenceIn(field) {
				quoted, _ := jsontext.AppendQuote(nil, text.String())
				_ = field.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(quoted) // it takes every text
			}
		}
	}
	return nil
}

// referenceIn returns what a member refers to that there is since some release; empty where it has no text.
func referenceIn(field reflect.Value) (text string) {
	encoded, err := json.Marshal(field.Interface())
	if err == nil && jsontext.Value(encoded).Kind() == '"' {
		err = json.Unmarshal(encoded, &text)
	}
	if err != nil {
		return ""
	}
	return text
}

func (d *Draft[T]) resolve(ctx context.Context, m *member, text reflect.Value, pointer string) error {
	reference, is := strings.CutPrefix(text.String(), external.Prefix)
	if !is || d.look == nil {
		return nil
	}
	var resources []string
	numbered := false
	for _, target := range m.refers {
		resource, _, byNumber := strings.Cut(target, ".")
		resources, numbered = append(resources, resource), byNumber
	}
	all, err := d.look(ctx, m.name, resources, reference)
	if err != nil {
		return err
	}
	record, found, err := all.One(pointer)
	if err != nil || !found {
		return err
	}
	name := record.ID
	if numbered {
		name = record.Number
	}
	text.SetString(name)
	return nil
}

// lookUp returns the records of some resources that a name stands for in a member; see Draft.Resolve.
type lookUp func(ctx context.Context, member string, resources []string, name string) (external.Records, error)

// lookReferences returns the records of some resources that a name stands for in a member: records of the service, or
// of the one that the expansion of the member says.
func (r *Records[T]) lookReferences(
	ctx context.Context, member string, resources []string, reference string,
) (all external.Records, err error) {
	for _, e := range r.Expand {
		if e.Member == member && e.From != "" {
			all, _, err = peer.Get[external.Records](ctx, r.server.peer(e.From), external.PathOf(resources, reference))
			return all, err
		}
	}
	return r.server.withReference(ctx, resources, reference)
}

// withReference returns the records of some resources or collections that a name stands for: those to which the
// caller's organisation has given it, and the one that the caller sees and whose number it is.
func (s *Server) withReference(
	ctx context.Context, among []string, reference string,
) (all external.Records, err error) {
	all.Records = []external.Record{}
	var looked []string // collections whose numbers were looked up
	for _, r := range s.resources {
		name := r.collectionName()
		if !slices.Contains(among, r.name()) && !slices.Contains(among, name) {
			continue
		}
		add := func(doc docstore.Document, found bool, err error) error {
			if err != nil || !found {
				return err
			}
			number, err := jsonmember.Text(doc.Body, r.numbered())
			all.Add(external.Record{ID: doc.ID.String(), Number: number})
			return err
		}
		err := add(r.namedBy(ctx, reference))
		if _, isID := parseID(reference); err == nil && !isID && !slices.Contains(looked, name) {
			looked = append(looked, name)
			err = add(documentNamed(ctx, s.opened[name], r.numbered(), reference))
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func (l *StaticList) namedBy(context.Context, string) (none docstore.Document, found bool, err error) {
	return none, false, nil
}

// serveReferences serves the internal operation that returns the records that a name stands for.
func (s *Server) serveReferences(c *gin.Context) {
	reference, err := "", error(nil)
	values, err := query.Parse(c.Request.URL.RawQuery)
	if err == nil {
		err = query.Each(values, func(name, value string) (wrong string) {
			if reference = value; name != external.Parameter {
				wrong = "is not known here; known is " + external.Parameter
			}
			return wrong
		})
	}
	var all external.Records
	if err == nil {
		all, err = s.withReference(c.Request.Context(), strings.Split(c.Param("resources"), ","), reference)
	}
	Respond(c, all, err)
}
