package share_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/share"
)

// TestToKeep asks what list a policy is to get from another one, as both lists go on.
func TestToKeep(t *testing.T) {
	below, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	must(t, err)
	t.Cleanup(func() { must(t, below.Close()) })
	ctx := request.ForExchange(t.Context())
	kept := share.New(process.Deps{Organisations: true, Store: below, Now: time.Now})
	must(t, kept.Open(ctx))
	lists, err := shared.OpenLists(ctx, below, time.Now)
	must(t, err)
	var begun *shared.List
	begin := func(policyNumber string, to ...shared.Participant) shared.Change {
		present, err := lists.Of(ctx, policyNumber)
		must(t, err)
		var after int64
		if present != nil {
			after = present.Sequence
		}
		change := shared.Change{PolicyNumber: policyNumber, Owner: "acme", After: &after, Participants: to}
		begun, err = lists.Make(ctx, change)
		must(t, err)
		change.After, change.Sequence, change.Grant = nil, begun.Sequence, true
		return change
	}
	finish := func(change shared.Change) {
		_, err := lists.Make(ctx, change)
		must(t, err)
		_, err = lists.Finish(ctx, change)
		must(t, err)
	}
	wants := func(when string, want int) {
		t.Helper()
		got, err := kept.ToKeep(ctx, "OLD", "NEW")
		if len(got) != want || (got == nil) != (want == 0) || err != nil {
			t.Errorf("%s: %v %v", when, got, err)
		}
	}
	zenith := shared.Participant{Organisation: "zenith", Rights: []string{shared.ReadRight}}
	wants("neither has a list", 0)
	change := begin("OLD", zenith)
	if got, err := kept.ToKeep(ctx, "OLD", "NEW"); got != nil || !errors.Is(err, docstore.ErrUnavailable) {
		t.Errorf("while the list is being changed: %v %v", got, err)
	}
	finish(change)
	wants("the old policy is shared", 1)
	stopped := begin("NEW", zenith)
	wants("the change of the new one has stopped", 1)
	finish(begin("OLD"))
	if got, err := kept.ToKeep(ctx, "OLD", "NEW"); got == nil || len(got) != 0 || err != nil {
		t.Errorf("the sharing of the old one has ended meanwhile: %v %v", got, err)
	}
	finish(begin("OLD", zenith))
	finish(stopped)
	wants("the new one has its list", 0)
	finish(begin("NEW"))
	wants("the sharing of the new one has ended", 0)
}

// TestWhatIsSharedIsAskedForInBounds asks for as many policies as are allowed, and for one more.
func TestWhatIsSharedIsAskedForInBounds(t *testing.T) {
	below, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	must(t, err)
	t.Cleanup(func() { must(t, below.Close()) })
	kept := share.New(process.Deps{Organisations: true, Store: below, Now: time.Now})
	must(t, kept.Open(request.ForExchange(t.Context())))
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	kept.MountSeen(engine, "/seen", 2)
	ctx, err := request.ForOwner(t.Context(), "zenith")
	must(t, err)
	for body, want := range map[string]int{
		`{"policyNumbers":["A","B"]}`: 200, `{"policyNumbers":["A","B","C"]}`: 400, `{"policyNumbers":1}`: 400, ``: 400,
		`{"policyNumbers":["` + strings.Repeat("A", 1000) + `"]}`: 400,
	} {
		got := httptest.NewRecorder()
		asked := httptest.NewRequestWithContext(ctx, http.MethodPost, "/seen", strings.NewReader(body))
		engine.ServeHTTP(got, asked)
		if got.Code != want || want == 200 && got.Body.String() != `{"policies":[]}` {
			t.Errorf("%.40s: %d %s", body, got.Code, got.Body)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
