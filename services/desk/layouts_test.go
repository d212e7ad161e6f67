package desk_test

import (
	"bytes"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// exports are the exports of a version by the ends of their paths, each with its entity tag and its bytes.
type exports map[string][2]string

func exportsOf(s *servicetest.Service, version string) exports {
	all := exports{}
	for _, name := range []string{"/lines.csv", "/lines.xlsx"} {
		a := s.Must(200, "GET", version+name, "")
		all[name] = [2]string{a.Header.Get("ETag"), a.Text}
		s.Must(304, "GET", version+name, "", "If-None-Match", all[name][0])
	}
	return all
}

// layout returns the layout that the entity tags of exports name.
func (e exports) layout() string {
	_, of, _ := strings.Cut(strings.Trim(e["/lines.csv"][0], `"`), "-")
	return of
}

// TestAVersionKeepsTheLayoutOfItsApproval has the layout of exports change behind an approval. What is approved reads
// as before, also where the release that approved it had but one layout; what is not takes the new one.
func TestAVersionKeepsTheLayoutOfItsApproval(t *testing.T) {
	t.Parallel()
	path, w := filepath.Join(t.TempDir(), "desk.db"), newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	within := func(layout int, do func(*servicetest.Service)) {
		store, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		s := servicetest.Start(t, desk.ServiceOf(layout).Definition(),
			servicetest.Options{Clock: w.clock, Peers: w.peers(), Store: store})
		do(s)
		s.Stop()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const premium, claims = november + "/versions/1", "/x/bordereau/C/claims/2026-11/versions/1"
	var first, pending, second exports
	within(1, func(s *servicetest.Service) {
		s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, "2026-01\"", "2026-11\"", 1)+`}`)
		w.record("P", "new policy", 100, "")
		w.file("P", 1000)
		w.until(t, "2026-12-01T00:01:00Z")
		signedOff(s, november, "original")
		s.Must(201, "POST", "/x/bordereau/C/claims/2026-11:prepare", `{"type":"original"}`, caller, "anna")
		first, pending = exportsOf(s, premium), exportsOf(s, claims)
		if first.layout() != "1" || pending.layout() != "1" || inSight(t, first) || inSight(t, pending) {
			t.Errorf("the layouts are %s and %s", first.layout(), pending.layout())
		}
	})
	within(2, func(s *servicetest.Service) {
		if !maps.Equal(first, exportsOf(s, premium)) {
			t.Error("the exports of an approved version are others in a later layout")
		}
		second = exportsOf(s, claims)
		if second.layout() != "2" || !inSight(t, second) {
			t.Errorf("the layout of a pending version is %s", second.layout())
		}
		for name, of := range pending {
			s.Must(200, "GET", claims+name, "", "If-None-Match", of[0])
		}
		s.Must(200, "POST", claims+":approve", `{"digest":"`+s.Must(200, "GET", claims, "").Member("digest")+`"}`,
			caller, "bob")
		if !maps.Equal(second, exportsOf(s, claims)) {
			t.Error("the exports of a version are others once it is approved")
		}
	})
	const older = `UPDATE ledger SET body = json_remove(body, '$.versions[0].layout')
		WHERE json_extract(body, '$.kind') = 'premium' AND json_extract(body, '$.versions[0].layout') = 1`
	if n, err := sqlitetest.Exec(path, older); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	within(3, func(s *servicetest.Service) {
		if !maps.Equal(first, exportsOf(s, premium)) || !maps.Equal(second, exportsOf(s, claims)) {
			t.Error("the exports of an approved version are others in a later layout")
		}
	})
	if e := w.examine(t, path); len(e.findings) > 0 || e.counts["versions made anew"] != 2 {
		t.Errorf("%+v", e)
	}
}

// inSight reports whether the headers of a workbook are bold, and that of the lines stays in sight with a filter. It
// fails the test if some of that is so.
func inSight(t *testing.T, of exports) bool {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader([]byte(of["/lines.xlsx"][1])))
	if err != nil {
		t.Fatal(err)
	}
	panes, err := book.GetPanes("Lines")
	if err != nil {
		t.Fatal(err)
	}
	bold := map[bool]int{}
	for sheet, header := range map[string]string{"Lines": "A2", "Control": "A11", "Findings": "A1"} {
		number, err := book.GetCellStyle(sheet, header)
		if err != nil {
			t.Fatal(err)
		}
		style, err := book.GetStyle(number)
		if err != nil {
			t.Fatal(err)
		}
		bold[style.Font != nil && style.Font.Bold]++
	}
	filters := len(book.GetDefinedName()) == 1
	if still := panes.Freeze && panes.YSplit == 2; still != filters || bold[still] != 3 {
		t.Errorf("the header is still: %v, with a filter: %v; headers are bold: %v", still, filters, bold)
	}
	return filters
}
