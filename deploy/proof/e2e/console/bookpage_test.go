package console

import (
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestFiguresOfTheBookOpen opens figures of the book: the rows of the list that each leads to come to it.
func TestFiguresOfTheBookOpen(t *testing.T) {
	t.Parallel()
	d := reported(t, "Bookish")
	wait.For(t, "the receipts are in the book", func() bool {
		return strings.Contains(string(d.clerk.Get(t, "/x/book/movements").Body), `"amount":100`)
	})
	p := open(t, d.Exchange, "/book", trial.Developer)
	for _, figure := range []struct{ part, column, member string }{
		{"lines", "Written", "written"}, {"lines", "Received", "received"}, {"months", "Received", "received"},
	} {
		p.turn("/book")
		cell := "[data-part=" + figure.part + "] tbody td[data-label=" + figure.column + "] a"
		p.sees(cell)
		var amount, path string
		p.eval("document.querySelector("+quoted(cell)+" + ' [data-amount]').dataset.amount", &amount)
		p.eval("document.querySelector("+quoted(cell)+").hash", &path)
		if sum := d.sumOf(t, path, figure.member); sum.Cmp(rational(amount)) != 0 {
			t.Errorf("%s comes to %s, the figure is %s", path, sum, amount)
		}
		p.click(cell)
		p.sees("[data-part=rows] tbody", "POL-")
		p.sees("[data-filter=currency]", "EUR")
	}
}

// TestPicturesOfTheBookOpen follows marks of pictures: each opens the list that comes to what it says.
func TestPicturesOfTheBookOpen(t *testing.T) {
	t.Parallel()
	d := reported(t, "Pictured")
	wait.For(t, "the receipts are in the book", func() bool {
		return strings.Contains(string(d.clerk.Get(t, "/x/book/movements").Body), `"amount":100`)
	})
	p := open(t, d.Exchange, "/book", trial.Developer)
	p.click("[data-tab=months]")
	p.becomes("document.querySelectorAll('[data-bar=received]').length > 0")
	var bars []struct{ To, Says string }
	p.eval("[...document.querySelectorAll('[data-bar=received]')].map((a) => "+
		"({ To: a.getAttribute('href'), Says: a.getAttribute('aria-label') }))", &bars)
	sums := 0
	for _, bar := range bars {
		month := bar.To[strings.Index(bar.To, "from=")+len("from="):][:len("2026-11")]
		amount := strings.ReplaceAll(strings.TrimPrefix(bar.Says, "Received "+month+": EUR\u00a0"), ",", "")
		if rational(amount).Sign() == 0 {
			continue // its list may be empty
		}
		sums++
		if sum := d.sumOf(t, bar.To, "received"); sum.Cmp(rational(amount)) != 0 {
			t.Errorf("%s comes to %s, the bar says %s", bar.To, sum, bar.Says)
		}
	}
	if sums < 2 {
		t.Errorf("of %d bars %d say something", len(bars), sums)
	}
	for _, tab := range []string{"contracts", "causes", "triangle", "aging", "lines"} {
		p.click("[data-tab=" + tab + "]")
		p.becomes("document.querySelectorAll('[role=tabpanel]:not([hidden]) :is(table, .empty)').length > 0")
		p.accessible("the book by " + tab)
	}
}

// TestAListIsWorkedWith filters a list of the book, sorts it, chooses its columns, keeps that as a view and opens it
// again, and looks at rows beside the list, by keys. Another person does not have the view.
func TestAListIsWorkedWith(t *testing.T) {
	t.Parallel()
	d := reported(t, "Listed")
	wait.For(t, "the receipts are in the book", func() bool {
		return strings.Contains(string(d.clerk.Get(t, "/x/book/movements").Body), `"amount":100`)
	})
	p := open(t, d.Exchange, "/policies", trial.Developer, trial.Admin)
	rows := "[data-part=rows] tbody"
	p.sees(rows, "POL-")
	filter := func(column, end, value string) {
		t.Helper()
		p.click("[data-menu=filter] summary")
		for _, field := range [][2]string{{"filter-column", column}, {"filter-end", end}} {
			p.becomes("Boolean(document.querySelector('#" + field[0] + " option[value=" + quoted(field[1]) + "]'))")
			p.eval("(() => { const it = document.getElementById("+quoted(field[0])+"); it.value = "+quoted(field[1])+
				"; it.dispatchEvent(new Event('change', { bubbles: true })) })()", nil)
		}
		p.eval("document.getElementById('filter-value').value = "+quoted(value), nil)
		p.click("[data-form=filter] button")
	}
	filter("line", "", "petCoverage")
	p.sees("[data-filter=line]", "Line: Pet")
	p.sees("[data-part=rows] .empty")
	p.accessible("a list without rows")
	p.click("[data-filter=line]")
	p.sees(rows, "Motor")
	var number string
	p.eval("document.querySelector('[data-part=rows] tbody').textContent.match(/POL-\\w{5}-\\w{5}-\\w/)[0]", &number)
	find := func(text string) {
		t.Helper()
		p.eval("document.querySelector('[data-form=find] input').value = "+quoted(text), nil)
		p.eval("document.querySelector('[data-form=find]').requestSubmit()", nil)
	}
	find("no such row")
	p.sees("[data-part=rows] .empty")
	find(strings.ToLower(strings.ReplaceAll(number, "-", ""))[5:])
	p.sees(rows, number)
	p.accessible("a list in which something was found")
	p.click("[data-filter=find]")
	filter("written", "From", "1")
	p.sees("[data-filter=writtenFrom]", "Written from: 1")
	p.click("th a[data-sort]")
	p.sees("th a[data-sort=ascending]")
	p.click("[data-menu=columns] summary")
	p.eval("document.querySelector('[name=column][value=country]').checked = true", nil)
	p.eval("document.querySelector('[name=column][value=object]').checked = false", nil)
	p.accessible("the columns of a list")
	p.click("[data-form=columns] button")
	p.sees("[data-part=rows] thead", "Country")
	var address, heads string
	p.eval("location.hash", &address)
	p.eval("document.querySelector('[data-part=rows] thead').textContent", &heads)
	if strings.Contains(heads, "Object") || !strings.Contains(address, "columns=policyNumber%2Cinsured%2Cline") {
		t.Errorf("columns %s at %s", heads, address)
	}

	p.keepsDownloads()
	p.click("[data-export=csv]")
	p.becomes("saved.length > 0")
	var file string
	p.eval("saved[0][1]", &file)
	if lines := strings.Split(strings.TrimPrefix(file, "\ufeff"), "\r\n"); !strings.HasPrefix(lines[0],
		"policyNumber,insured,line,status,") || !strings.Contains(lines[0], "country,currency") ||
		!strings.HasPrefix(lines[1], "POL-") {
		t.Errorf("the file begins with %q", lines[:2])
	}

	const name = "Größere, sorted"
	p.click("[data-menu=views] summary")
	p.eval("document.getElementById('view-name').value = "+quoted(name), nil)
	p.click("[data-form=view] button")
	p.sees("[data-menu=views] li", name)
	p.turn("/policies")
	p.sees("[data-part=rows] thead", "Object")
	p.click("[data-menu=views] summary")
	p.click("[data-menu=views] li a")
	p.sees("[data-part=rows] thead", "Country")
	var again string
	p.eval("location.hash", &again)
	if again != address {
		t.Errorf("the view opens %s, it was kept at %s", again, address)
	}
	if got := d.anna.Get(t, "/x/view"); strings.Contains(string(got.Body), "sorted") {
		t.Errorf("another person has the view: %s", got.Body)
	}
	p.click("[data-menu=views] summary")
	p.click("[data-menu=views] li button")
	p.sees("[data-menu=views]", "You have kept no view")

	p.turn("/book/movements")
	p.sees(rows, "receipt")
	p.keys("jj ")
	beside := func() (title string) {
		p.sees("[data-part=beside] h2")
		p.eval("document.querySelector('[data-part=beside] [data-member=recordedAt]').textContent", &title)
		return title
	}
	p.accessible("a row beside its list")
	first := beside()
	p.keys("j")
	p.sees("tr[data-chosen] a:focus")
	if beside() == "" || first == "" {
		t.Errorf("beside the list are %q and %q", first, beside())
	}
	p.eval("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))", nil)
	p.gone("[data-part=beside]")
}

func rational(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// sumOf returns the sum of a member of the selected figures of the rows of a list, whose address on the page is given.
func (d office) sumOf(t *testing.T, address, member string) *big.Rat {
	t.Helper()
	var page struct {
		Rows []struct{ Selected map[string]json.Number }
	}
	got := d.clerk.Get(t, "/x"+strings.TrimPrefix(address, "#")+"&limit=200").Want(t, http.StatusOK)
	if err := json.Unmarshal(got.Body, &page); err != nil || len(page.Rows) == 0 {
		t.Fatalf("%s: %s (%v)", address, got.Body, err)
	}
	sum := new(big.Rat)
	for _, row := range page.Rows {
		sum.Add(sum, rational(row.Selected[member].String()))
	}
	return sum
}
