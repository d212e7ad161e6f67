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

// months returns the months of a period of 2026, the last and the first one.
func months(period string) string {
	if quarter, is := strings.CutPrefix(period, "2026-Q"); is {
		return map[string]string{"1": "2026-03 2026-01", "2": "2026-06 2026-04", "3": "2026-09 2026-07",
			"4": "2026-12 2026-10"}[quarter]
	}
	return period + " " + period
}

// comes returns what the last version of a period comes to, as the board shows it; empty for none.
func comes(one trial.Record) string {
	versions := within(one, "versions")
	if len(versions) == 0 {
		return ""
	}
	last := versions[len(versions)-1]
	for _, total := range within(last, "totals") {
		return fmt.Sprintf(" %s %v", total["currency"], total["net"])
	}
	for _, total := range within(last, "claims") {
		return fmt.Sprintf(" %s %v", total["currency"], at(total, "indemnity/incurred"))
	}
	return ""
}

// marks are the marks of the board: the contract of the row, the months that the cell stands below, where the mark
// leads, the state, what it comes to, and what is wrong.
const marks = `[...document.querySelectorAll('[data-part=board] tbody tr')].flatMap((row) => {
	const heads = [...document.querySelectorAll('[data-part=board] thead th')].map((e) => e.innerText);
	let at = 1;
	return [...row.querySelectorAll('td')].flatMap((cell) => {
		const [first, last] = [heads[at], heads[at + cell.colSpan - 1]];
		at += cell.colSpan;
		return [...cell.querySelectorAll('[data-mark]')].map((mark) => [row.querySelector('th').innerText.trim(),
			mark.querySelector('.quiet').innerText.trim(), first, last, mark.querySelector('a').hash,
			mark.querySelector('.badge').dataset.state,
			...[...mark.querySelectorAll('.worth')].map((e) => e.innerText.trim().replace(/\u00a0/g, ' ')),
			...[...mark.querySelectorAll('.bad')].map((e) => e.innerText.trim())].join(' '));
	});
})`

// TestTheBoard compares the board of contracts and months with the work list: each period is a mark below its months,
// in the row of its contract, with its state, what its last version comes to, and the errors that nobody has waived.
// The present month is the first; it shows a year, also of a contract that is older, and each mark opens its period.
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
	p.becomes("document.querySelectorAll('[data-part=board] tbody tr').length === 9")
	p.click("[data-part=board] .more")
	p.becomes("document.querySelectorAll('[data-part=board] tbody tr').length === 10")
	var heads []string
	p.eval("[...document.querySelectorAll('[data-part=board] thead th')].map((e) => e.innerText)", &heads)
	if len(heads) != 13 || heads[1] != "2026-12" || heads[12] != "2026-01" {
		t.Errorf("the columns are %q", heads)
	}
	var got []string
	p.eval(marks, &got)
	kinds := map[string]string{"claims": "Claims", "premium": "Premium"}
	const list = "/x/bordereau?limit=200&from=2026-01"
	want := []string{}
	for _, one := range append(d.read(t, list, "periods"),
		d.read(t, list+"&after="+d.clerk.Read(t, list).Text("next"), "periods")...) {
		contract, kind, period := one.Text("contract"), one.Text("kind"), one.Text("period")
		row := fmt.Sprintf("%s %s %s #/desk/%s/%s/%s %s", contract, kinds[kind], months(period), contract, kind, period,
			one.Text("state")) + comes(one)
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
	slices.Sort(got) // the work list has its own order
	slices.Sort(want)
	if !reflect.DeepEqual(got, want) || !slices.ContainsFunc(want, func(row string) bool {
		return strings.HasSuffix(row, "prepared EUR 875.50 2 to be waived")
	}) {
		t.Errorf("the board shows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	p.inOrder(t)
	p.accessible("the board")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("the board")
	p.click("[data-part=board] a[href='#/desk/PETS-2024/premium/2026-Q2']")
	p.sees("h1", "Premium 2026-Q2")
	p.click(".lead a")
	p.sees("[data-part=board]", "2024-Q1", "2026-Q4")
}

// inOrder sees that in each cell the premium is above the claims, and that the names of the contracts stay where they
// are while the board, and nothing else, scrolls sideways.
func (p *tab) inOrder(t *testing.T) {
	t.Helper()
	p.becomes(`[...document.querySelectorAll('[data-part=board] td:has(a)')].every((cell) =>
		[...cell.querySelectorAll('[data-mark]')].map((e) => e.dataset.mark).join() === 'premium,claims')`)
	p.do(chromedp.EmulateViewport(1280, 900))
	p.eval("document.querySelector('[data-part=board] .scroll').scrollLeft = 300", nil)
	p.becomes(`((scroll) => scroll.scrollLeft > 0 && scroll.querySelector('tbody th').getBoundingClientRect().left
		=== scroll.getBoundingClientRect().left)(document.querySelector('[data-part=board] .scroll'))`)
	p.fits("the board")
}
