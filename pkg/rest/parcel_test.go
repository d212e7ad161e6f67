package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// The resources that the tests declare: depots, and parcels that lie in them.

type depot struct {
	ID   string  `json:"id,omitzero"`
	Name ownName `json:"externalReference,omitzero" reference:""`
	Town *string `json:"town,omitzero"`
}

func (d *depot) RecordID() string      { return d.ID }
func (d *depot) SetRecordID(id string) { d.ID = id }

type parcel struct {
	ID         string         `json:"id,omitzero"`
	Extensions jsontext.Value `json:",embed"`

	Name     ownName  `json:"externalReference,omitzero" reference:""`
	Number   *string  `json:"number,omitzero" issued:""`
	State    *string  `json:"state,omitzero" issued:"ParcelState"`
	Sender   *string  `json:"sender,omitzero" fixed:""`
	Scans    []string `json:"scans,omitzero" kept:""`
	Depot    string   `json:"depot,omitzero" refers:"depot"`
	Weight   *int     `json:"weight,omitzero"`
	Size     *string  `json:"size,omitzero" set:"Size"`
	Marks    []string `json:"marks,omitzero"`
	Label    *string  `json:"label,omitzero" identity:""`
	Contents *string  `json:"contents,omitzero"`
}

func (p *parcel) RecordID() string      { return p.ID }
func (p *parcel) SetRecordID(id string) { p.ID = id }

// remark is a body that changes nothing.
type remark struct {
	Other *int `json:"other,omitzero"`
}

type delivery struct {
	Signature *string `json:"signature,omitzero"`
	Tip       *int    `json:"tip,omitzero"`
}

// sets are value sets by name.
type sets map[string][]string

func (s sets) Lookup(set, value string) (string, bool) {
	return value, slices.Contains(s[set], value)
}
func (s sets) Values(set string) []string { return s[set] }

func (s sets) Meant(string, string) string { return "" }

var known = sets{
	"ParcelState": {"stored", "held", "delivered", "returned"}, "Size": {"small", "large"},
	"Mark": {"fragile", "urgent"},
}

// kind is a kind of problem of the tests.
type kind struct {
	slug   string
	status int
}

func (k kind) Slug() string  { return k.slug }
func (k kind) Title() string { return k.slug }
func (k kind) Status() int   { return k.status }

var (
	unknownDepot = kind{"unknown-depot", 404}
	closedDepot  = kind{"closed-depot", 409}
	tooLight     = kind{"too-light", 400}
	badTip       = kind{"bad-tip", 400}
	labelTaken   = kind{"label-taken", 409}
)

// world is a running server with the parcels, a clock, and a store that fails on demand.
type world struct {
	t       testing.TB
	handler http.Handler
	store   *faults
	server  *rest.Server
	mu      sync.Mutex
	now     time.Time
	caller  request.Caller
	loads   int // how often the depot of a draft was looked up
	refused []string
	parcels *rest.Records[*parcel]
}

// declare returns the declaration of the parcel, for tests that change something about it.
func (w *world) declare(depots *rest.Records[*depot]) rest.Resource[*parcel] {
	of := rest.Referenced("depot", func(p *parcel) string { return p.Depot }, depots, unknownDepot)
	loading := of.Load
	of.Load = func(ctx context.Context, d *rest.Draft[*parcel]) (*depot, error) {
		w.mu.Lock()
		w.loads++
		w.mu.Unlock()
		return loading(ctx, d)
	}
	issuedNumber := 0
	return rest.Resource[*parcel]{
		Name:    "parcel",
		Aliases: map[string]string{"depotId": "depot"},
		Flatten: []string{"measures"},
		Filters: []rest.Filter[*parcel]{
			rest.Exact("label", func(p *parcel) string { return rest.Text(p.Label) }),
			rest.Prefix("contents", func(p *parcel) string { return rest.Text(p.Contents) }),
		},
		Unique: []rest.Unique[*parcel]{{
			Index: "label", Value: func(p *parcel) string { return rest.Text(p.Label) },
			Taken: func(holder string) error { return problem.New(labelTaken, "").With("existingId", holder) },
		}, {
			Index: "number", Value: func(p *parcel) string { return rest.Text(p.Number) },
		}},
		Checks: []rest.Check[*parcel]{
			of.Check("depot does not exist"),
			{
				Name: "depot is closed", DependsOn: []string{"depot"}, Refuses: []problem.Kind{closedDepot},
				Run: func(ctx context.Context, d *rest.Draft[*parcel]) error {
					at, err := of.Of(ctx, d)
					if err == nil && rest.Text(at.Town) == "Nowhere" {
						err = problem.New(closedDepot, "").At("/depot", "is closed")
					}
					return err
				},
			},
			rest.Untaken[*parcel]("label is taken", "label", "label"),
			rest.AboveZero("weight is not above 0", "weight", func(p *parcel) *int { return p.Weight }, tooLight),
			{
				Name: "heavy", DependsOn: []string{"weight"}, Run: func(_ context.Context,
					d *rest.Draft[*parcel]) error {
					if *d.Value.Weight > 100 {
						d.Warn("heavy", "heavy parcel", "It takes two to carry it.")
					}
					return nil
				},
			},
		},
		Rules: []rest.Check[*parcel]{
			rest.EachIn("a mark is unknown", "marks", "Mark", known, func(p *parcel) []string {
				return p.Marks
			}, problem.Invalid),
			{
				// It names nothing that it depends on, and so it runs at every write.
				Name: "empty", Refuses: []problem.Kind{problem.Invalid}, Run: func(_ context.Context,
					d *rest.Draft[*parcel]) error {
					if rest.Text(d.Value.Contents) == "" {
						return problem.New(problem.Invalid, "").At("/contents", "is empty")
					}
					return nil
				},
			},
		},
		Issue: func(d *rest.Draft[*parcel]) {
			w.mu.Lock()
			defer w.mu.Unlock()
			issuedNumber++
			// the second number is the first one again
			number, state := fmt.Sprint("P", max(issuedNumber-1, 1)), "stored"
			d.Value.Number, d.Value.State = &number, &state
		},
		Status: func(p *parcel) **string { return &p.State }, Temporary: []string{"held"},
		Actions: []rest.Action[*parcel]{
			rest.Act("deliver", []rest.Move{{From: "stored", To: "delivered"}},
				func(_ context.Context, c *rest.Change[*parcel], body *delivery) error {
					c.Value.Scans = append(slices.Clone(c.Value.Scans), "signed by "+*body.Signature)
					return nil
				},
				rest.Present[*delivery]("signature is missing", "signature"),
				rest.AboveZero("tip is not above 0", "tip", func(d *delivery) *int {
					return d.Tip
				}, badTip)).AddingExtra(),
			rest.Act("hold", []rest.Move{{From: "stored", To: "held"}},
				func(_ context.Context, c *rest.Change[*parcel], _ *remark) error {
					c.MoveUntil("held", c.Now.Add(time.Hour), "stored")
					return nil
				}),
			rest.Act("amend", rest.AnyState, func(ctx context.Context, c *rest.Change[*parcel], _ *struct{}) error {
				amended, err := c.Amend()
				if err == nil {
					err = c.Check(ctx, amended)
				}
				if err == nil {
					*c.Value = *amended.Value
				}
				return err
			}).Amending("signature"),
			rest.Spawn("return", []rest.Move{{From: "delivered", To: "delivered"}},
				func(ctx context.Context, c *rest.Change[*parcel], _ *struct{}) (*rest.Draft[*parcel], error) {
					returned, err := c.Amend()
					if err != nil {
						return nil, err
					}
					returned.Value.Label = nil
					return returned.Draft, c.CheckNew(ctx, returned)
				}).Amending(),
			rest.Act("scan", rest.AnyState, func(_ context.Context, c *rest.Change[*parcel], _ *remark) error {
				c.Value.Scans = append(slices.Clone(c.Value.Scans), "seen")
				return nil
			}).AsSub(),
		},
		Extra:  func(p *parcel) map[string]any { return map[string]any{"status": rest.Text(p.State)} },
		DryRun: "check",
	}
}

// start starts the server; change, if not nil, changes the declaration.
func start(t testing.TB, change func(*rest.Resource[*parcel])) *world {
	t.Helper()
	return startOn(t, filepath.Join(t.TempDir(), "rest.db"), change)
}

// startOn starts the server on a database.
func startOn(t testing.TB, path string, change func(*rest.Resource[*parcel])) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), caller: asAda}
	opened, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	w.store = &faults{Store: opened}
	w.server = rest.NewServer(rest.Config{
		Store: w.store, Sets: known, KeyRetention: 24 * time.Hour,
		Now: func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now },
		Refused: func(resource, check string, k problem.Kind) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.refused = append(w.refused, resource+": "+check+": "+k.Slug())
		},
	})
	depots := rest.Add(w.server, rest.Resource[*depot]{Name: "depot"})
	declared := w.declare(depots)
	if change != nil {
		change(&declared)
	}
	w.parcels = rest.Add(w.server, declared)
	if err := w.server.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	if err := w.server.Mount(engine, w.admit); err != nil {
		t.Fatal(err)
	}
	w.handler = engine
	return w
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// reply is a response of the server.
type reply struct {
	*httptest.ResponseRecorder
	body map[string]any
}

func (r reply) text(member string) string {
	text, _ := r.body[member].(string)
	return text
}

// pointers returns the JSON pointers of a problem's violations.
func (r reply) pointers() []string {
	var all []string
	violations, _ := r.body["errors"].([]any)
	for _, v := range violations {
		violation, _ := v.(map[string]any)
		if pointer, ok := violation["pointer"].(string); ok {
			all = append(all, pointer)
		}
	}
	return all
}

// do sends a request with pairs of headers, and wants a status.
func (w *world) do(want int, method, path, body string, header ...string) reply {
	w.t.Helper()
	r := w.send(method, path, body, header...)
	if r.Code != want {
		w.t.Fatalf("%s %s %.1000s: status %d, want %d: %.1000s", method, path, body, r.Code, want, r.Body)
	}
	return r
}

// send sends a request with pairs of headers.
func (w *world) send(method, path, body string, header ...string) reply {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	r := reply{ResponseRecorder: httptest.NewRecorder()}
	w.handler.ServeHTTP(r.ResponseRecorder, req)
	_ = json.Unmarshal(r.Body.Bytes(), &r.body) // a list is no object
	return r
}

// wants fails unless the response is a problem of the kind, with violations at the pointers.
func (w *world) wants(r reply, k problem.Kind, pointers ...string) {
	w.t.Helper()
	if r.text("type") != problem.URI(k) || !slices.Equal(r.pointers(), pointers) {
		w.t.Fatalf("problem %s, want %s at %v", r.Body, k.Slug(), pointers)
	}
}

// depot makes a depot and returns its id.
func (w *world) depot(town string) string {
	w.t.Helper()
	return w.do(201, "POST", "/depot", `{"town":"`+town+`"}`).text("id")
}

// parcel makes a parcel with further members, and returns its path.
func (w *world) parcel(members string) string {
	w.t.Helper()
	return "/parcel/" + w.do(201, "POST", "/parcel", w.body(members)).text("id")
}

// body returns the body of a parcel that passes all checks, with further members.
func (w *world) body(members string) string {
	w.t.Helper()
	if members != "" {
		members = "," + members
	}
	return `{"depot":"` + w.depot("Ghent") + `","weight":5,"contents":"books"` + members + `}`
}

// faults is a store that fails on demand.
type faults struct {
	docstore.Store
	// insert and replace, if not nil, are asked before a write of the parcels. wrote says that the write is to happen
	// although its outcome is reported as the error.
	insert, replace func(docstore.Document) (err error, wrote bool)
	find            error
	// formers, if not nil, returns what a page of former versions is read as.
	formers func(after int64, found []docstore.Former) []docstore.Former
}

func (f *faults) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := f.Store.Collection(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &faultyCollection{c, f}, nil
}

// asAda is Ada, in an exchange that organisations do not share.
var asAda = request.Caller{Subject: "ada", Organisation: organisation.Sole()}

// ada is a guard that admits every request as one of hers.
func ada(c *gin.Context) {
	c.Request = c.Request.WithContext(request.WithCaller(c.Request.Context(), asAda))
}

// admit is a guard that admits every request as one of the caller of the world.
func (w *world) admit(c *gin.Context) {
	c.Request = c.Request.WithContext(request.WithCaller(c.Request.Context(), w.caller))
}

type faultyCollection struct {
	docstore.Collection
	faults *faults
}

func (c *faultyCollection) Insert(ctx context.Context, who organisation.ID, doc docstore.Document) error {
	return c.write(c.faults.insert, doc, func() error { return c.Collection.Insert(ctx, who, doc) })
}

func (c *faultyCollection) Replace(
	ctx context.Context, who organisation.ID, doc docstore.Document, former *docstore.Former,
) error {
	return c.write(c.faults.replace, doc, func() error { return c.Collection.Replace(ctx, who, doc, former) })
}

func (c *faultyCollection) write(
	fault func(docstore.Document) (error, bool), doc docstore.Document, write func() error,
) error {
	if fault == nil {
		return write()
	}
	err, wrote := fault(doc)
	if err == nil || wrote {
		if failed := write(); failed != nil {
			return failed
		}
	}
	return err
}

func (c *faultyCollection) Formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]docstore.Former, error) {
	found, err := c.Collection.Formers(ctx, who, id, after, limit)
	if c.faults.formers != nil {
		found = c.faults.formers(after, found)
	}
	return found, err
}

func (c *faultyCollection) Find(
	ctx context.Context, who organisation.ID, q docstore.Query,
) ([]docstore.Document, error) {
	if c.faults.find != nil {
		return nil, c.faults.find
	}
	return c.Collection.Find(ctx, who, q)
}

var errDown = fmt.Errorf("the store is down: %w", docstore.ErrUnavailable)

// once returns a fault that happens once.
func once(err error, wrote bool) func(docstore.Document) (error, bool) {
	done := false
	return func(docstore.Document) (error, bool) {
		if done {
			return nil, false
		}
		done = true
		return err, wrote
	}
}

var errOdd = errors.New("something that nobody foresaw")
