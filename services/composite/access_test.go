package composite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/share"
)

// keeper is a service with records of policies, as far as they are shared.
type keeper struct {
	name    string
	right   string
	records docstore.Collection
	handler http.Handler
}

// world is three keepers, and the operation that changes access lists of theirs.
type world struct {
	t       *testing.T
	keepers map[string]*keeper
	under   *environment
	// fails says what becomes of the next calls that change a list: false for one that succeeds.
	fails func() (before, after bool)
}

const owner = "acme"

func as(t *testing.T, name string) context.Context {
	t.Helper()
	ctx, err := request.ForOwner(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func organisationOf(ctx context.Context) organisation.ID { return request.OrganisationFrom(ctx) }

func newWorld(t *testing.T) *world {
	gin.SetMode(gin.ReleaseMode)
	w := &world{t: t, keepers: map[string]*keeper{}, fails: func() (bool, bool) { return false, false }}
	peers := map[string]*peer.Client{}
	for name, right := range map[string]string{"coverage": "", "claims": "claims", "premium": "premium"} {
		k := w.newKeeper(name, right)
		client, err := peer.New(peer.Config{
			Name: name, Address: "http://" + name, Handler: k.handler, OpenAfter: 1 << 30,
		})
		if err != nil {
			t.Fatal(err)
		}
		w.keepers[name], peers[name] = k, client
	}
	w.under = &environment{
		peer: func(name string) *peer.Client { return peers[name] }, now: time.Now, organisations: true,
	}
	return w
}

func (w *world) newKeeper(name, right string) *keeper {
	below, err := sqlitestore.Open(w.t.Context(), filepath.Join(w.t.TempDir(), name+".db"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = below.Close() })
	store := shared.Of(below, shared.Settings{On: true})
	k := &keeper{name: name, right: right}
	k.records, err = store.Collection(w.t.Context(), docstore.Spec{
		Name: "record", SharedBy: "policyNumber", Right: right,
		Indexes: []docstore.Index{{Name: "policyNumber"}},
		Keys: func(doc docstore.Document) (keys docstore.Keys, err error) {
			return keys, json.Unmarshal(doc.Body, &keys)
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	lists := share.New(process.Deps{Organisations: true, Store: store, Now: time.Now},
		func() docstore.Collection { return k.records })
	if err := lists.Open(request.ForExchange(w.t.Context())); err != nil {
		w.t.Fatal(err)
	}
	engine := gin.New()
	lists.Mount(engine, internalapi.AccessPath, internalapi.RefusedPath)
	lists.MountReading(engine, internalapi.AccessPath, internalapi.RefusedPath, func(
		ctx context.Context, number string,
	) (string, error) {
		if seen, err := k.sees(ctx, number); err != nil || !seen {
			return "", problem.New(problem.NotFound, "")
		}
		return owner, nil
	})
	k.handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		before, after := false, false
		if r.Method == http.MethodPut {
			before, after = w.fails()
		}
		if before {
			http.Error(out, "{}", http.StatusServiceUnavailable)
			return
		}
		if after {
			engine.ServeHTTP(httptest.NewRecorder(), r)
			http.Error(out, "{}", http.StatusServiceUnavailable)
			return
		}
		engine.ServeHTTP(out, r)
	})
	return k
}

// sees reports whether an organisation finds what is under a policy.
func (k *keeper) sees(ctx context.Context, number string) (bool, error) {
	docs, err := k.records.Find(ctx, organisationOf(ctx), docstore.Query{
		Equal: docstore.Keys{"policyNumber": number}, Limit: 100,
	})
	return len(docs) > 0, err
}

// insert makes a record under a policy, and returns it.
func (k *keeper) insert(ctx context.Context, number string) (docstore.Document, error) {
	var doc docstore.Document
	var err error
	if doc.ID, err = docstore.NewID(doc.ID); err != nil {
		return doc, err
	}
	doc.Keys, doc.Version = docstore.Keys{"policyNumber": number}, 1
	if doc.Body, err = json.Marshal(doc.Keys); err != nil {
		return doc, err
	}
	return doc, k.records.Insert(ctx, organisationOf(ctx), doc)
}

// put changes the access list of a policy as the owner asks for it.
func (w *world) put(number string, list model) error {
	body := &beyond.AccessList{Participants: []beyond.Participant{}}
	for name, rights := range list {
		body.Participants = append(body.Participants, beyond.Participant{Organisation: name, Rights: rights})
	}
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodPut, "/", nil).WithContext(as(w.t, owner))
	c.Params = gin.Params{{Key: "policyNumber", Value: number}}
	_, err := w.under.changeAccess(c, body)
	return err
}

// model is an access list: the rights of organisations.
type model map[string][]string

func (m model) has(name, right string) bool { return slices.Contains(m[name], right) }

var participants = []string{"zenith", "orion", "vega"}

func randomList(random *rand.Rand) model {
	list := model{}
	for _, name := range participants {
		if random.IntN(2) == 0 {
			continue
		}
		list[name] = []string{"read"}
		for _, right := range []string{"claims", "premium"} {
			if random.IntN(2) == 0 {
				list[name] = append(list[name], right)
			}
		}
	}
	return list
}

// history is what became of the list of one policy. Since the last change that was made everywhere, others may have
// stopped half way.
type history struct {
	number string
	lists  []model
	docs   map[string][]docstore.Document
}

// may and must say whether an organisation may have a right, and whether it must.
func (h *history) may(name, right string) bool {
	return slices.ContainsFunc(h.lists, func(m model) bool { return m.has(name, right) })
}

func (h *history) must(name, right string) bool {
	return !slices.ContainsFunc(h.lists, func(m model) bool { return !m.has(name, right) })
}

// check compares what each organisation sees and may write with the model.
func (w *world) check(h *history) {
	w.t.Helper()
	for _, name := range append(slices.Clone(participants), "stranger") {
		ctx := as(w.t, name)
		for _, k := range w.keepers {
			found, err := k.sees(ctx, h.number)
			if err != nil {
				w.t.Fatal(err)
			}
			if found && !h.may(name, "read") || !found && h.must(name, "read") {
				w.t.Errorf("%s, %s: seen %v after %v", k.name, name, found, h.lists)
			}
			for i, doc := range h.docs[k.name] {
				_, err := k.records.Get(ctx, organisationOf(ctx), doc.ID)
				if err == nil && !h.may(name, "read") || err != nil && h.must(name, "read") {
					w.t.Errorf("%s, %s: by id %v after %v", k.name, name, err, h.lists)
				}
				replaced := doc
				replaced.Owner, replaced.Keys = owner, docstore.Keys{"policyNumber": h.number}
				err = k.records.Replace(ctx, organisationOf(ctx), replaced, nil)
				if err == nil && (k.right == "" || !h.may(name, k.right)) {
					w.t.Errorf("%s, %s: written after %v", k.name, name, h.lists)
				}
				if err == nil {
					h.docs[k.name][i].Version++
				}
				if err != nil && k.right != "" && h.must(name, k.right) {
					w.t.Errorf("%s, %s: not written (%v) after %v", k.name, name, err, h.lists)
				}
			}
		}
	}
}

// write makes a record in the name of somebody who finds the policy.
func (w *world) write(h *history, k *keeper, name string) {
	if found, _ := w.keepers["coverage"].sees(as(w.t, name), h.number); !found && name != owner {
		return
	}
	doc, err := k.insert(as(w.t, name), h.number)
	allowed := name == owner || k.right != "" && h.may(name, k.right)
	demanded := name == owner || k.right != "" && h.must(name, k.right)
	stored, _ := k.records.Get(w.t.Context(), organisationOf(as(w.t, owner)), doc.ID)
	switch {
	case stored.ID == doc.ID && !allowed:
		w.t.Errorf("%s: %s has made a record after %v", k.name, name, h.lists)
	case err != nil && demanded:
		w.t.Errorf("%s: %s makes no record (%v) after %v", k.name, name, err, h.lists)
	case stored.ID == doc.ID:
		h.docs[k.name] = append(h.docs[k.name], stored)
	}
}

// TestSharingAgreesWithAModel makes random sequences of shares, revocations and writes, in which any step of a change
// may fail before or after it is made. Nobody ever has a right that neither the last whole change nor one that stopped
// since gives. An organisation has each right that all of them give. Repeating a change completes it.
func TestSharingAgreesWithAModel(t *testing.T) {
	const sequences, worlds = 60, 4
	for first := range uint64(worlds) {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for seed := first; seed < sequences && !t.Failed(); seed += worlds {
				w.sequence(seed)
			}
		})
	}
}

// sequence makes the sequence of a seed.
func (w *world) sequence(seed uint64) {
	names := []string{"coverage", "claims", "premium"}
	random := rand.New(rand.NewPCG(seed, 21))
	h := &history{number: fmt.Sprintf("P%d", seed), lists: []model{{}}, docs: map[string][]docstore.Document{}}
	for _, name := range names {
		w.write(h, w.keepers[name], owner)
	}
	for range 5 {
		if random.IntN(3) == 0 {
			who := append(slices.Clone(participants), owner)[random.IntN(4)]
			w.write(h, w.keepers[names[random.IntN(3)]], who)
			continue
		}
		left := random.IntN(12) // the step that fails; none if there are fewer
		failed := false
		w.fails = func() (before, after bool) {
			left--
			before, after = left == 0, left == -1 && random.IntN(2) == 0
			failed = failed || before || after
			return before, after
		}
		list := randomList(random)
		if err := w.put(h.number, list); err == nil {
			if failed {
				w.t.Error("a change is made although one of its steps failed")
			}
			h.lists = []model{list}
		} else {
			h.lists = append(h.lists, list)
		}
	}
	w.fails = func() (bool, bool) { return false, false }
	w.check(h)
	last := h.lists[len(h.lists)-1]
	if err := w.put(h.number, last); err != nil {
		w.t.Errorf("a change is not completed by repeating it: %v", err)
	}
	h.lists = []model{last}
	w.check(h)
	if w.t.Failed() {
		w.t.Fatalf("seed %d", seed)
	}
}

// TestAListThatIsPutAgainIsInForce puts a list again as it is, while a step of a change that was given up is still
// under way. That one comes too late, and the edition of the list stays.
func TestAListThatIsPutAgainIsInForce(t *testing.T) {
	w := newWorld(t)
	h := &history{number: "P", lists: []model{{"zenith": {"read"}}}, docs: map[string][]docstore.Document{}}
	for _, name := range []string{"coverage", "claims", "premium"} {
		w.write(h, w.keepers[name], owner)
	}
	var editions []int64
	var late internalapi.Step
	for range 2 {
		if err := w.put(h.number, h.lists[0]); err != nil {
			t.Fatal(err)
		}
		list, err := w.under.access(as(t, owner), h.number, "")
		if err != nil || list.Unfinished {
			t.Fatal(list, err)
		}
		editions = append(editions, int64(list.Edition))
		if late.After == nil {
			late = internalapi.Step{Owner: owner, After: &list.Sequence, Participants: []internalapi.Participant{}}
		}
	}
	if editions[0] != 1 || editions[1] != 1 {
		t.Errorf("the editions are %v", editions)
	}
	if _, err := w.under.step(as(t, owner), "coverage", h.number, late); !errors.Is(err, errPassed) {
		t.Errorf("the late step: %v", err)
	}
	w.check(h)
}
