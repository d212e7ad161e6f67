package store_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/wait"
	"insurance.example/exchange/services/parties"
)

// serve runs the service of the parties on an empty database behind a proxy.
func serve(t *testing.T) (*servicetest.Service, *wireProxy) {
	t.Helper()
	d, proxy := newDatabase(t), startWire(t, address(t), nil)
	store, err := mongostore.Options{URI: proxy.URI()}.Open(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return servicetest.Start(t, parties.Service().Definition(), servicetest.Options{Store: store}), proxy
}

// person returns the body of an individual.
func person(idNumber string) string {
	return `{"firstName":"Ada","lastName":"Example","dob":"1990-12-10","idType":"passport","idNumber":"` + idNumber +
		`","address":{"city":"London","country":"GB"}}`
}

// having returns how many individuals have an idNumber.
func having(t *testing.T, s *servicetest.Service, idNumber string) int {
	t.Helper()
	var found []json.RawMessage
	if err := json.Unmarshal([]byte(s.Must(http.StatusOK, http.MethodGet, "/personal?idNumber="+idNumber, "").Text),
		&found); err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// TestOneRecordWhateverIsCut: a POST makes one record if its status is 201, and at most one if it is 503, whatever
// happens to one of its commands, with an Idempotency-Key and without. With a key, the caller repeats the request until
// a response has the record; there is still one record.
func TestOneRecordWhateverIsCut(t *testing.T) {
	s, proxy := serve(t)
	for name, f := range faults {
		for _, collection := range []string{"personal.claims", "personal"} {
			for _, key := range []string{"", "key of " + name + collection} {
				t.Run(fmt.Sprintf("%s, %s, key %q", name, collection, key), func(t *testing.T) {
					number := fmt.Sprintf("N%d", time.Now().UnixNano())
					var header []string
					if key != "" {
						header = []string{"Idempotency-Key", key}
					}
					decide, hit := f.once("insert", collection)
					proxy.Decide(decide)
					a := s.Do(http.MethodPost, "/personal", person(number), header...)
					proxy.Decide(nil)
					if !hit.Load() {
						t.Fatal("the fault hit nothing")
					}
					records := having(t, s, number)
					switch {
					case a.Status == http.StatusCreated && records == 1:
					case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" &&
						!f.done && records == 0:
					default:
						t.Errorf("status %d (Retry-After %q) and %d records: %s", a.Status, a.Header.Get("Retry-After"),
							records, a.Text)
					}
					if key == "" {
						return
					}
					again := s.Do(http.MethodPost, "/personal", person(number), header...)
					if want := map[int]int{0: http.StatusCreated, 1: http.StatusOK}[records]; again.Status != want {
						t.Errorf("the request again: status %d, want %d: %s", again.Status, want, again.Text)
					}
					if n := having(t, s, number); n != 1 {
						t.Errorf("%d records", n)
					}
				})
			}
		}
	}
}

// TestChangeWhateverIsCut: a PUT whose outcome was unknown responds with the record as it was stored, or with 503.
func TestChangeWhateverIsCut(t *testing.T) {
	s, proxy := serve(t)
	path := "/personal/" + s.Create("personal", person("P1"))
	for name, f := range faults {
		for _, command := range []struct{ name, collection string }{{"update", "personal"},
			{"insert", "personal.claims"}} {
			t.Run(name+", "+command.name, func(t *testing.T) {
				before := s.Must(http.StatusOK, http.MethodGet, path, "")
				number := before.Member("idNumber")
				if command.collection == "personal.claims" {
					number = fmt.Sprintf("N%d", time.Now().UnixNano())
				}
				city := fmt.Sprintf("C%d", time.Now().UnixNano())
				decide, hit := f.once(command.name, command.collection)
				proxy.Decide(decide)
				a := s.Do(http.MethodPut, path, strings.Replace(person(number), "London", city, 1))
				proxy.Decide(nil)
				if !hit.Load() {
					t.Fatal("the fault hit nothing")
				}
				after := s.Must(http.StatusOK, http.MethodGet, path, "")
				switch {
				case a.Status == http.StatusOK && after.Member("idNumber") == number &&
					strings.Contains(after.Text, city):
				case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" && !f.done &&
					after.Text == before.Text:
				default:
					t.Errorf("status %d; the record was %s and is %s", a.Status, before.Text, after.Text)
				}
			})
		}
	}
}

// TestRequestsWhileThePrimaryIsGone: every request responds with 503 and Retry-After; then the service serves again
// by itself.
func TestRequestsWhileThePrimaryIsGone(t *testing.T) {
	s, proxy := serve(t)
	path := "/personal/" + s.Create("personal", person("G1"))
	proxy.RefuseConnections(true)
	for _, r := range []struct{ method, path, body string }{
		{http.MethodPost, "/personal", person("G2")}, {http.MethodPut, path, person("G3")}, {http.MethodGet, path, ""},
	} {
		a := s.Do(r.method, r.path, r.body)
		if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s %s: status %d, Retry-After %q: %s", r.method, r.path, a.Status,
				a.Header.Get("Retry-After"), a.Text)
		}
	}
	proxy.RefuseConnections(false)
	wait.For(t, "the service", func() bool { return s.Do(http.MethodGet, path, "").Status == http.StatusOK })
	s.Must(http.StatusCreated, http.MethodPost, "/personal", person("G2"))
	s.Must(http.StatusOK, http.MethodPut, path, person("G3"))
	if n := having(t, s, "G2"); n != 1 {
		t.Errorf("%d records", n)
	}
}
