package desk_test

import (
	"context"
	"sync/atomic"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/servicetest"
)

// heldStore holds the first insertion of a block of a statement until it is let go.
type heldStore struct {
	docstore.Store
	held      atomic.Bool
	came, let chan struct{}
}

func (s *heldStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := s.Store.Collection(ctx, spec)
	if err != nil || spec.Name != "reconciliationBlock" {
		return c, err
	}
	return docstore.Decorate(c, func(ctx context.Context, of docstore.Call, do func(context.Context) error) error {
		if of.Operation == "insert" && !s.held.Swap(true) {
			close(s.came)
			<-s.let
		}
		return do(ctx)
	}), nil
}

// TestWorkbooksAreReadOneAfterTheOther sends a workbook while another one is read. It waits for that, since both would
// take more memory than there may be, and is refused when its time is over; so is a file of CSV.
func TestWorkbooksAreReadOneAfterTheOther(t *testing.T) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	store := &heldStore{Store: servicetest.OpenStore(t), came: make(chan struct{}), let: make(chan struct{})}
	s := w.startOn(store)
	const columns = `"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},
		{"column":"Gross","means":"gross"}]}`
	s.Must(200, "PUT", profiles+"csv", `{`+plain+`,`+columns)
	s.Must(200, "PUT", profiles+"xlsx", `{"format":"xlsx","headerRow":1,"sign":"minus","decimalMark":".",
		"totals":{"rule":"none"},`+columns)
	book := workbook(t, nil, nil)
	first := make(chan servicetest.Response, 1)
	go func() { first <- s.Do("POST", statements+"?profile=xlsx", book, "Content-Type", sheetMedia) }()
	<-store.came
	for media, file := range map[string]string{sheetMedia: book, "text/csv": "Policy,Gross\nP,1\n"} {
		profile := map[string]string{sheetMedia: "xlsx", "text/csv": "csv"}[media]
		s.Must(503, "POST", statements+"?profile="+profile, file, "Content-Type", media, request.TimeoutHeader, "300")
	}
	close(store.let)
	if a := <-first; a.Status != 200 {
		t.Errorf("the first: status %d: %s", a.Status, a.Text)
	}
	s.Must(200, "POST", statements+"?profile=csv", "Policy,Gross\nP,1\n", "Content-Type", "text/csv")
}
