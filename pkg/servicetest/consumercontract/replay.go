package consumercontract

import (
	"maps"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/servicetest"
)

// States brings about the states of a provider, by their names in contracts. A function returns the values of the
// parameters of the request, such as the number of the policy that it has made. It is called once for each
// interaction.
type States map[string]func(t *testing.T) map[string]string

// Always is a state that every service is in.
func Always(*testing.T) map[string]string { return nil }

// Logged returns states of a service whose log of changes is read, beside others. create makes a record.
func Logged(s *servicetest.Service, others States, create func(t *testing.T)) States {
	after := func(position string) func(*testing.T) map[string]string {
		return func(*testing.T) map[string]string { return map[string]string{"after": position} }
	}
	all := States{
		"a record":           LoggedBy(s, func(*testing.T) any { return nil }, func(t *testing.T, _ any) { create(t) }),
		"the end of its log": after("now"), "a place that its log does not have": after("nowhere"),
		"its build and settings": Always,
	}
	maps.Copy(all, others)
	return all
}

// LoggedBy returns a state in which the log of changes of a service begins with what a function does, which takes what
// another one has prepared.
func LoggedBy[T any](
	s *servicetest.Service, prepare func(t *testing.T) T, do func(t *testing.T, of T),
) func(*testing.T) map[string]string {
	return func(t *testing.T) map[string]string {
		of := prepare(t)
		end := s.Must(http.StatusOK, http.MethodGet, "/internal/changes/now", "").Member("next")
		do(t, of)
		return map[string]string{"after": end}
	}
}

// Before returns an id before a UUID, which has no other record between them: ids begin with the time.
func Before(id string) string { return docstore.IDBefore(uuid.MustParse(id)).String() }

// Replay sends a service every request of the contracts that its consumers have put into a folder, and compares the
// responses. A state that no contract names any more fails the test, as does a folder without contracts. shared is the
// service where organisations share the exchange, which is sent the requests in the name of one; nil if there are none.
func Replay(t *testing.T, s, shared *servicetest.Service, folder string, states States) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are %d contracts in %s (%v)", len(files), folder, err)
	}
	named := map[string]bool{}
	for _, file := range files {
		c, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.Provider != filepath.Base(folder) || c.Consumer+".json" != filepath.Base(file) {
			t.Errorf("%s is of %s for %s: it belongs into the folder of its provider, under the name of its consumer",
				file, c.Consumer, c.Provider)
		}
		for _, i := range c.Interactions {
			named[i.Given] = true
			t.Run(c.Consumer+" asks for "+i.Given, func(t *testing.T) {
				arrange, known := states[i.Given]
				if !known {
					t.Fatalf("%s relies on %q, which the tests of %s cannot bring about", c.Consumer,
						i.Given, c.Provider)
				}
				to := s
				if of := i.Request.Organisation; of != "" {
					if shared == nil {
						t.Fatalf("%s asks as %s, and organisations share no service of this test", c.Consumer, of)
					}
					to = shared.As(of)
				}
				values := arrange(t)
				path := i.Request.path(values)
				a := to.Do(i.Request.Method, path, i.Request.text(values))
				if err := i.Response.match(a.Status, a.Body); err != nil {
					t.Errorf("%s relies on this: %s %s: %v\n%s", c.Consumer, i.Request.Method, path, err, a.Text)
				}
			})
		}
	}
	for state := range states {
		if !named[state] {
			t.Errorf("no consumer relies on %q", state)
		}
	}
}
