package consumercontract

import (
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/request"
)

// Stub takes the place of the provider in the tests of a consumer. It responds as the contract says, with the members
// that the consumer has said it reads and no others. A request that is not in the contract fails the test.
type Stub struct {
	t        testing.TB
	contract *Contract

	mu    sync.Mutex
	asked map[string]bool // by what was given
}

// NewStub returns a stub of the provider of a contract.
func NewStub(t testing.TB, path string) *Stub {
	t.Helper()
	c, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return &Stub{t: t, contract: c, asked: map[string]bool{}}
}

func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	for _, i := range s.contract.Interactions {
		text, by := i.Request.text(i.Request.Parameters), i.Request.Organisation
		if i.Request.Method != r.Method || !i.Request.names(r.URL) ||
			text != "" && !jsonobject.Equal(sent, []byte(text)) ||
			by != "" && request.OrganisationFrom(r.Context()).Name() != by {
			continue
		}
		s.mu.Lock()
		s.asked[i.Given] = true
		s.mu.Unlock()
		body, err := json.Marshal(i.Response.Body)
		if err != nil {
			s.t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(i.Response.Status)
		_, _ = w.Write(body) // a buffer in memory takes it
		return
	}
	s.t.Errorf("%s sends %s %s %s, which is not in its contract with %s", s.contract.Consumer, r.Method, r.URL, sent,
		s.contract.Provider)
	http.Error(w, "{}", http.StatusInternalServerError)
}

// WantAllAsked fails the test for each interaction that the consumer has not asked for: it relies on less than it
// says, or its tests do not show it.
func (s *Stub) WantAllAsked() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.contract.Interactions {
		if !s.asked[i.Given] {
			s.t.Errorf("%s never asks %s for %s", s.contract.Consumer, s.contract.Provider, i.Given)
		}
	}
}
