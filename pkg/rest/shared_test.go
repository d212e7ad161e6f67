package rest_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// TestRecordsOfAnotherResourceAreNotFound declares two resources that share a collection. Neither reads, lists nor
// changes records of the other, whatever the way to them.
func TestRecordsOfAnotherResourceAreNotFound(t *testing.T) {
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "rest.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	server := rest.NewServer(rest.Config{
		Store: store, Sets: known, Now: time.Now,
	})
	town := rest.Exact("town", func(d *depot) string { return rest.Text(d.Town) })
	shared := map[string]*rest.Records[*depot]{}
	for _, name := range []string{"depot", "yard"} {
		shared[name] = rest.Add(server, rest.Resource[*depot]{
			Name: name, Collection: "places", Filters: []rest.Filter[*depot]{town}, Actions: []rest.Action[*depot]{
				rest.Act("open", rest.AnyState, func(context.Context, *rest.Change[*depot], *struct{}) error {
					return nil
				}),
			},
		})
	}
	if err := server.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	if err := server.Mount(engine, ada); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, handler: engine}

	id := w.do(201, "POST", "/depot", `{"town":"Ghent"}`).text("id")
	for _, request := range []struct{ method, path string }{
		{"GET", "/yard/" + id}, {"PUT", "/yard/" + id},
	} {
		w.do(404, request.method, request.path, `{"town":"Bruges"}`)
	}
	w.do(404, "POST", "/yard/"+id+":open", "")
	for _, list := range []string{"/yard", "/yard?town=Ghent"} {
		if all := w.do(200, "GET", list, "").Body.String(); all != "[]" {
			t.Errorf("%s returns %s", list, all)
		}
	}
	if _, found, err := shared["yard"].Get(request.ForExchange(t.Context()), id); found || err != nil {
		t.Errorf("the yards have the depot: %v, %v", found, err)
	}
	if _, found, err := shared["yard"].One(request.ForExchange(t.Context()), "town", "Ghent"); found || err != nil {
		t.Errorf("the yards have the depot by its town: %v, %v", found, err)
	}
	if after := w.do(200, "GET", "/depot/"+id, ""); after.text("town") != "Ghent" ||
		after.Header().Get("ETag") != `"1"` {
		t.Errorf("the depot has changed: %s %v", after.Body, after.Header())
	}
	w.do(200, "POST", "/depot/"+id+":open", "")
}
