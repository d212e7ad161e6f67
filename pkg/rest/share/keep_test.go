package share_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

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

// TestWhatIsSharedIsListedInPages shares some hundred policies with an organisation, and takes one back.
func TestWhatIsSharedIsListedInPages(t *testing.T) {
	below, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	must(t, err)
	t.Cleanup(func() { must(t, below.Close()) })
	of := request.ForExchange(t.Context())
	records, err := shared.Of(below, shared.Settings{On: true}).Collection(of, docstore.Spec{Name: "policy",
		SharedBy: "policyNumber", Indexes: []docstore.Index{{Name: "policyNumber"}}})
	must(t, err)
	kept := share.New(process.Deps{Organisations: true, Store: below, Now: time.Now},
		func() docstore.Collection { return records })
	must(t, kept.Open(of))
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	kept.Mount(engine, "/list/", "/refused/")
	kept.MountShared(engine, "/shared/")
	send := func(as, method, path, body string) string {
		ctx, err := request.ForOwner(t.Context(), as)
		must(t, err)
		answer := httptest.NewRecorder()
		engine.ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader(body)).WithContext(ctx))
		if answer.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %s", method, path, answer.Code, answer.Body)
		}
		return answer.Body.String()
	}
	// share makes a list with one participant, or none, after a sequence.
	share := func(i, after int, participants string) int {
		var list struct {
			Sequence int `json:"sequence"`
		}
		path, body := fmt.Sprintf("/list/POL-%d", i), `{"owner":"acme",%s,"participants":[`+participants+`]}`
		first := send("acme", "PUT", path, fmt.Sprintf(body, fmt.Sprintf(`"after":%d`, after)))
		must(t, json.Unmarshal([]byte(first), &list))
		send("acme", "PUT", path, fmt.Sprintf(body, fmt.Sprintf(`"sequence":%d,"grant":true`, list.Sequence)))
		return list.Sequence
	}
	const policies = 600
	last := 0
	for i := range policies {
		last = share(i, 0, `{"organisation":"zenith","rights":["read"]}`)
	}
	listed := func(as string) (numbers map[string]bool, pages int) {
		numbers = map[string]bool{}
		for after := "oldest"; after != ""; pages++ {
			var page struct {
				Policies []struct {
					PolicyNumber string `json:"policyNumber"`
					Owner        string `json:"owner"`
				} `json:"policies"`
				Next string `json:"next"`
			}
			must(t, json.Unmarshal([]byte(send(as, "GET", "/shared/"+after, "")), &page))
			for _, p := range page.Policies {
				if numbers[p.PolicyNumber] = true; p.Owner != "acme" {
					t.Errorf("%+v", p)
				}
			}
			after = page.Next
		}
		return numbers, pages
	}
	if numbers, pages := listed("zenith"); len(numbers) != policies || pages != 3 {
		t.Errorf("%d policies in %d pages, want %d in 3", len(numbers), pages, policies)
	}
	share(policies-1, last, "")
	if numbers, _ := listed("zenith"); len(numbers) != policies-1 || numbers[fmt.Sprintf("POL-%d", policies-1)] {
		t.Errorf("after one was taken back, %d policies are listed", len(numbers))
	}
	for _, none := range []string{"acme", "orion"} {
		if numbers, pages := listed(none); len(numbers) > 0 || pages != 1 {
			t.Errorf("%s is shown %d policies", none, len(numbers))
		}
	}
}
