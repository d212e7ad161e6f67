package desk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// makers are services that make records, as the desk knows them: they refuse what says so, and know by its
// externalReference, or by its idNumber, what is there already.
type makers struct {
	t     *testing.T
	clock *servicetest.Clock

	mu      sync.Mutex
	records []madeRecord
	// keys are the ids by the callers and Idempotency-Keys that made them.
	keys map[string]string
	// left counts the calls and writes until one fails, which happens all the same if happens says so; a negative one
	// never does. count counts them all.
	left, count int
	happens     bool
	// slow is what each call takes by the time of the machine, which a test with it has in a bubble of
	// testing/synctest.
	slow time.Duration
	// most is the largest trial that is taken, in bytes; any if it is 0.
	most int
	// spoiled are texts of bodies that are admissible and refused nevertheless.
	spoiled []string
}

type madeRecord struct {
	id, resource, by, body string
}

func newMakers(t *testing.T) *makers {
	return &makers{t: t, clock: servicetest.At(t, "2026-03-01T00:00:00Z"), keys: map[string]string{}, left: -1}
}

func (m *makers) start(store docstore.Store, flags ...string) *servicetest.Service {
	peers := map[string]http.Handler{}
	for _, name := range []string{"parties", "products", "coverage", "claims", "premium"} {
		peers[name] = m
	}
	return servicetest.Start(m.t, desk.Service().Definition(),
		servicetest.Options{Clock: m.clock, Peers: peers, Store: &makerStore{store, m}, Flags: flags})
}

// fails notes a call or a write, and reports whether it fails and whether it happens.
func (m *makers) fails() (fails, happens bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	fails = m.left == 0
	m.left--
	return fails, !fails || m.happens
}

// makerStore is a store whose writes fail as the calls do.
type makerStore struct {
	docstore.Store
	m *makers
}

func (s *makerStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := s.Store.Collection(ctx, spec)
	if err != nil || !strings.HasPrefix(spec.Name, "reconciliation") {
		return c, err
	}
	return docstore.Decorate(c, func(ctx context.Context, call docstore.Call, do func(context.Context) error) error {
		if call.Operation != "insert" && call.Operation != "replace" {
			return do(ctx)
		}
		fails, happens := s.m.fails()
		if happens {
			if err := do(ctx); err != nil {
				return err
			}
		}
		if fails {
			return docstore.ErrUnavailable
		}
		return nil
	}), nil
}

func (m *makers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(m.slow)
	fails, happens := m.fails()
	out := &bytes.Buffer{}
	status := http.StatusOK
	if happens {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			m.t.Error(err)
		}
		switch trial := r.URL.Path == "/internal/trial"; {
		case trial && m.most > 0 && len(text) > m.most:
			status = http.StatusRequestEntityTooLarge
		case strings.HasPrefix(r.URL.Path, internalapi.RecordsPath):
			m.read(strings.Split(strings.TrimPrefix(r.URL.Path, internalapi.RecordsPath), ","), out)
		case trial:
			m.try(request.CallerFrom(r.Context()).Key(), text, out)
		default:
			status = m.make(r, text, out)
		}
	}
	if fails {
		http.Error(w, "{}", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = out.WriteTo(w)
}

func (m *makers) try(by string, text []byte, out io.Writer) {
	var trial struct {
		Operations []struct {
			Ref, Resource, Key string
			Body               json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &trial); err != nil {
		m.t.Error(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var outcomes []string
	records := slices.Clone(m.records)
	for _, of := range trial.Operations {
		body := string(of.Body)
		switch existing := existing(records, of.Resource, body); {
		case m.keys[by+" "+of.Key] != "":
			outcomes = append(outcomes, fmt.Sprintf(`{"outcome":"made","values":{"id":%q}}`, m.keys[by+" "+of.Key]))
		case strings.Contains(body, "refuse me"):
			outcomes = append(outcomes, `{"outcome":"refused","failed":[{"title":"invalid","status":422,"problem":"/problems/x",
				"errors":[{"pointer":"/lastName","reason":"is refused"}]}]}`)
		case existing != "":
			outcomes = append(outcomes, fmt.Sprintf(`{"outcome":"refused","failed":[{"title":"is there","status":409,
				"problem":"/problems/x","existingId":%q}]}`, existing))
		default:
			records = append(records, madeRecord{"assumed-" + of.Ref, of.Resource, by, body})
			outcomes = append(outcomes, fmt.Sprintf(`{"outcome":"admissible","values":{"id":"assumed-%s"}}`, of.Ref))
		}
	}
	fmt.Fprintf(out, `{"outcomes":[%s]}`, strings.Join(outcomes, ","))
}

// read writes the records with some ids: the number of each follows from its place.
func (m *makers) read(ids []string, out io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var records []string
	for at, r := range m.records {
		if slices.Contains(ids, r.id) {
			records = append(records, fmt.Sprintf(`{"name":%q,"record":{"policyNumber":"POL-%d"}}`, r.id, at+1))
		}
	}
	fmt.Fprintf(out, `{"records":[%s],"looked":%d}`, strings.Join(records, ","), len(ids))
}

// existing returns the id of the record with the same name or number, if there is one.
func (m *makers) existing(resource, body string) string {
	return existing(m.records, resource, body)
}

func existing(records []madeRecord, resource, body string) string {
	for _, member := range []string{"externalReference", "idNumber"} {
		is := member1(body, member)
		for _, r := range records {
			if is != "" && r.resource == resource && member1(r.body, member) == is {
				return r.id
			}
		}
	}
	return ""
}

func member1(body, name string) string {
	var all map[string]any
	_ = json.Unmarshal([]byte(body), &all)
	text, _ := all[name].(string)
	return text
}

func (m *makers) make(r *http.Request, body []byte, out io.Writer) (status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	resource, by := strings.TrimPrefix(r.URL.Path, "/"), request.CallerFrom(r.Context()).Key()
	key := by + " " + r.Header.Get("Idempotency-Key")
	if id := m.keys[key]; id != "" {
		fmt.Fprintf(out, `{"id":%q}`, id)
		return http.StatusOK
	}
	if id := m.existing(resource, string(body)); id != "" {
		fmt.Fprintf(out, `{"type":"/problems/is-there","title":"is there","status":409,"existingId":%q}`, id)
		return http.StatusConflict
	}
	if slices.ContainsFunc(m.spoiled, func(text string) bool { return strings.Contains(string(body), text) }) {
		fmt.Fprint(out, `{"type":"/problems/spoiled","title":"spoiled","status":422,
			"errors":[{"pointer":"/vin","reason":"is spoiled"}]}`)
		return http.StatusUnprocessableEntity
	}
	id := fmt.Sprintf("01930000-0000-7000-8000-%012d", len(m.records)+1)
	m.keys[key] = id
	m.records = append(m.records, madeRecord{id, resource, by, string(body)})
	fmt.Fprintf(out, `{"id":%q,"policyNumber":"POL-%d"}`, id, len(m.records))
	return http.StatusCreated
}
