package console

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// months returns the months of a period of 2026, the first and the last one.
func months(period string) string {
	if quarter, is := strings.CutPrefix(period, "2026-Q"); is {
		return map[string]string{"1": "2026-01 2026-03", "2": "2026-04 2026-06", "3": "2026-07 2026-09",
			"4": "2026-10 2026-12"}[quarter]
	}
	return period + " " + period
}

// TestTheBoard compares the board of contracts and months with the work list: each period stands below its months, in
// the row of its contract, with its state and the errors that nobody has waived. It shows a year, also of a contract
// that is older, and each cell opens its period.
func TestTheBoard(t *testing.T) {
	t.Parallel()
	d := reported(t, "Boarder")
	d.nameless(t)
	d.prepare(t, d.clerk, november)
	d.clerk.Put(t, "/x/contract/PETS-2024", terms.With("uniqueMarketReference", "B0001PETS2024").
		With("lines", []string{"petCoverage"}).With("inception", "2024-01-01").With("frequency", "quarter").
		With("firstPeriod", "2024-Q1")).Want(t, http.StatusOK)
	for i := range 8 { // so that the contract before ends a page of the list, in the middle of its year
		d.clerk.Put(t, fmt.Sprint("/x/contract/M-", i), terms.With("firstPeriod", "2026-01").
			With("uniqueMarketReference", fmt.Sprint("B0001M", i)).With("risksFrom", fmt.Sprint(2030+i, "-01-01")).
			With("risksBefore", fmt.Sprint(2031+i, "-01-01"))).Want(t, http.StatusOK)
	}
	p := open(t, d.Exchange, "/desk", trial.Developer)
	p.becomes("document.querySelectorAll('[data-part=board] tbody tr').length === 18")
	p.click("[data-part=board] .more")
	p.becomes("document.querySelectorAll('[data-part=board] tbody tr').length === 20")
	var heads []string
	p.eval("[...document.querySelectorAll('[data-part=board] thead th')].map((e) => e.innerText)", &heads)
	if len(heads) != 13 || heads[1] != "2026-01" || heads[12] != "2026-12" {
		t.Errorf("the columns are %q", heads)
	}
	var got []string
	p.eval(`[...document.querySelectorAll('[data-part=board] tbody tr')].flatMap((row) => {
		const heads = [...document.querySelectorAll('[data-part=board] thead th')].map((e) => e.innerText);
		let at = 1;
		return [...row.querySelectorAll('td')].map((cell) => {
			const [first, last] = [heads[at], heads[at + cell.colSpan - 1]];
			at += cell.colSpan;
			const link = cell.querySelector('a');
			return link && [row.querySelector('th').innerText, first, last, link.hash,
				link.querySelector('.badge').dataset.state,
				...[...cell.querySelectorAll('.bad')].map((e) => e.innerText.trim())].join(' ').trim();
		}).filter(Boolean);
	})`, &got)
	kinds := map[string]string{"claims": "Claims", "premium": "Premium"}
	const list = "/x/bordereau?limit=200&from=2026-01"
	want := []string{}
	for _, one := range append(d.read(t, list, "periods"),
		d.read(t, list+"&after="+d.clerk.Read(t, list).Text("next"), "periods")...) {
		contract, kind, period := one.Text("contract"), one.Text("kind"), one.Text("period")
		row := fmt.Sprintf("%s %s %s #/desk/%s/%s/%s %s", contract, kinds[kind], months(period), contract, kind, period,
			one.Text("state"))
		if late := one["daysLate"]; late != nil {
			row += fmt.Sprintf(" %v days late", late)
		}
		for _, v := range within(one, "versions") {
			if unwaived := text(v["unwaived"]); unwaived != "0" {
				row += " " + unwaived + " to be waived"
			}
		}
		want = append(want, row)
	}
	if !reflect.DeepEqual(got, want) || !slices.ContainsFunc(want, func(row string) bool {
		return strings.Contains(row, "prepared 2 to be waived")
	}) {
		t.Errorf("the board shows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	p.accessible("the board")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("the board")
	p.click("[data-part=board] a[href='#/desk/PETS-2024/premium/2026-Q2']")
	p.sees("h1", "Premium 2026-Q2")
	p.click(".lead a")
	p.sees("[data-part=board]", "2024-Q1", "2026-Q4")
}
