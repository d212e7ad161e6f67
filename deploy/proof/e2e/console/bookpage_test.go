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

// TestFiguresOfTheBookOpen opens figures of the book: the rows of the list that each leads to come to it. It then adds
// a filter to a list, sorts it, and takes the filter away, by keys and addresses alone.
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
	p.turn("/book/policies")
	p.sees("[data-part=rows] tbody", "POL-")
	p.eval("document.getElementById('filter-name').value = 'line'", nil)
	p.eval("document.getElementById('filter-value').focus()", nil)
	p.keys("petCoverage\r")
	p.sees("[data-filter=line]", "Pet")
	p.sees("[data-part=rows] .empty")
	p.click("[data-filter=line]")
	p.sees("[data-part=rows] tbody", "Motor")
	p.click("th a[data-sort]")
	p.sees("th a[data-sort=ascending]")
	p.sees("[data-part=rows] tbody", "Motor")
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
