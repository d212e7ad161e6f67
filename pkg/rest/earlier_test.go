package rest_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// earlier starts the server on a copy of a database that a release without former versions has written, and v1.2.0 has
// had open since.
func earlier(t *testing.T) *world {
	t.Helper()
	return earlierAs(t, nil)
}

// earlierAs does so with a change of the declaration.
func earlierAs(t *testing.T, change func(*rest.Resource[*parcel])) *world {
	t.Helper()
	packed, err := os.Open("testdata/earlier.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "earlier.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	w := startOn(t, path, change)
	w.pass(30 * time.Minute)
	return w
}

// The parcels of the earlier database. The first was created (key "create"), held for an hour ten minutes later (key
// "hold"), scanned (key "scan") and replaced after ten minutes each; the second was created and delivered.
const (
	earlierHeld      = "/parcel/01a200fe-e666-7a90-a89e-c14323c034be"
	earlierBody      = `{"depot":"01a200fe-e665-7e29-985a-306f1f39ad93","weight":5,"contents":"books","label":"A"}`
	earlierDelivered = "/parcel/01a200fe-e66a-76eb-bbb2-cfd67ca6cb65"
)

func TestARecordOfAnEarlierReleaseIsContinued(t *testing.T) {
	for name, change := range map[string]func(w *world) (event string){
		"unchanged": func(*world) string { return "" },
		"scanned": func(w *world) string {
			w.do(200, "POST", earlierHeld+"/scan", "", "Idempotency-Key", "later")
			return "scan"
		},
		"altered": func(w *world) string {
			w.alter(earlierHeld, func(*parcel) {})
			return ""
		},
		"altered and replaced": func(w *world) string {
			w.alter(earlierHeld, func(*parcel) {})
			w.do(200, "PUT", earlierHeld, earlierBody)
			return "replaced"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := earlier(t)
			want := []string{"created", "hold", "scan", "replaced"}
			if event := change(w); event != "" {
				want = append(want, event)
			}
			w.pass(10 * time.Minute)
			for _, limit := range []int{1, 3, 50} {
				w.numbered(w.pages(fmt.Sprintf("/x/history%s?limit=%d", earlierHeld, limit)), want...)
			}
			if event := w.pages("/x/history" + earlierHeld)[3]; event.Change["size"] != "small" {
				t.Errorf("the replacement changed %v", event.Change)
			}
			// Every key is remembered.
			for key, path := range map[string]string{"create": "/parcel", "hold": earlierHeld + ":hold",
				"scan": earlierHeld + "/scan"} {
				body := map[string]string{"create": earlierBody}[key]
				if r := w.do(200, "POST", path, body, "Idempotency-Key", key); r.Header().
					Get("Idempotency-Replayed") != "true" {
					t.Errorf("the key %q was forgotten: %s", key, r.Body)
				}
				w.wants(w.do(422, "POST", path, otherBody(key), "Idempotency-Key", key), problem.KeyReused)
			}
			// What it was before it was written last was not kept.
			began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			for _, at := range []time.Duration{-time.Second, 0, 15 * time.Minute, 30*time.Minute - 1} {
				w.wants(w.do(404, "GET", asOf(earlierHeld, began.Add(at)), ""), problem.NotFound)
			}
			if r := w.do(200, "GET", asOf(earlierHeld, w.now), ""); r.text("state") != "held" {
				t.Errorf("now it is %s", r.text("state"))
			}
			w.pass(30 * time.Minute)
			if r := w.do(200, "GET", earlierHeld, ""); r.text("state") != "stored" {
				t.Errorf("an hour after it was held it is %s", r.text("state"))
			}
			w.do(200, "POST", earlierHeld+":deliver", signed)
			w.numbered(w.pages("/x/history"+earlierHeld+"?limit=2"), append(want, "deliver")...)
			w.do(409, "POST", earlierDelivered+":hold", "")
			w.do(201, "POST", earlierDelivered+":return", "")
			w.numbered(w.pages("/x/history"+earlierDelivered), "created", "deliver")
		})
	}
}

// otherBody returns a body for the request of a key that is not the one that the key was used for.
func otherBody(key string) string {
	if key == "create" {
		return strings.Replace(earlierBody, "books", "pens", 1)
	}
	return `{"other":1}`
}
