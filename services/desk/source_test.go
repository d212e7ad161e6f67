package desk_test

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	shown "insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/servicetest"
)

// sourceOf returns what a line of a version was made of.
func sourceOf(t *testing.T, s *servicetest.Service, version, line string) shown.LineSource {
	t.Helper()
	var of shown.LineSource
	text := s.Must(200, "GET", version+"/lines/"+line+"/source", "").Text
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		t.Fatal(err)
	}
	return of
}

// rat reads an amount; 0 for none.
func rat(t *testing.T, text scalar.Decimal) *big.Rat {
	t.Helper()
	if text == "" {
		return new(big.Rat)
	}
	r, is := new(big.Rat).SetString(string(text))
	if !is {
		t.Fatalf("%q is no amount", text)
	}
	return r
}

// halfUp rounds half away from zero, to a number of digits.
func halfUp(r *big.Rat, digits int) *big.Rat {
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	scaled := new(big.Rat).Mul(r, unit)
	half := big.NewRat(int64(scaled.Sign()), 2)
	scaled.Add(scaled, half)
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom()) // towards zero
	return new(big.Rat).Quo(new(big.Rat).SetInt(whole), unit)
}

// figuresOf computes figures from what was paid by now, what is outstanding, and the figures of before.
type figuresOf struct{ paid, previously, outstanding, incurred, change *big.Rat }

func (f *figuresOf) sum(before shown.ClaimFigures, t *testing.T) {
	f.incurred = new(big.Rat).Add(f.paid, f.previously)
	f.incurred.Add(f.incurred, f.outstanding)
	f.change = new(big.Rat).Sub(f.incurred, rat(t, before.Incurred))
}

func (f *figuresOf) is(t *testing.T, what string, line shown.ClaimFigures) {
	t.Helper()
	for name, pair := range map[string][2]*big.Rat{
		"paid": {f.paid, rat(t, line.Paid)}, "previouslyPaid": {f.previously, rat(t, line.PreviouslyPaid)},
		"outstanding": {f.outstanding, rat(t, line.Outstanding)}, "incurred": {f.incurred, rat(t, line.Incurred)},
		"changeOfIncurred": {f.change, rat(t, line.ChangeOfIncurred)},
	} {
		if pair[0].Cmp(pair[1]) != 0 {
			t.Errorf("%s.%s is %s, and its source gives %s", what, name, pair[1].FloatString(4), pair[0].FloatString(4))
		}
	}
}

// unitsOf are the digits of the currencies of the tests.
var unitsOf = map[string]int{"EUR": 2, "GBP": 2, "JPY": 0, "KWD": 3}

// perUnit returns how much one unit of a record is, in major units.
func perUnit(of shown.ContractTerms) *big.Rat {
	if of.AmountUnit == "major" {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).Inv(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10),
		big.NewInt(int64(unitsOf[of.Currency])), nil)))
}

func part(t *testing.T, percentage scalar.Digits, of *big.Rat, currency string) *big.Rat {
	share := new(big.Rat).Mul(of, rat(t, scalar.Decimal(percentage)))
	return halfUp(share.Quo(share, big.NewRat(100, 1)), unitsOf[currency])
}

// followsFromReceipt computes the amounts of a line of premium anew, from its source alone.
func followsFromReceipt(t *testing.T, line shown.BordereauLine, of shown.LineSource) {
	t.Helper()
	var receipt struct {
		Amount   int64  `json:"paymentAmount"`
		Type     string `json:"receiptType"`
		Reverses string `json:"reverses"`
		Policy   string `json:"policyNumber"`
	}
	read(t, servicetest.Response{Text: string(of.Receipt.Record)}, &receipt)
	terms := of.Contract.Contract
	gross := new(big.Rat).Mul(big.NewRat(receipt.Amount, 1), perUnit(terms))
	if receipt.Reverses != "" {
		gross.Neg(gross)
		read(t, servicetest.Response{Text: string(of.Reversed.Record)}, &receipt)
	}
	premium := receipt.Type == "new policy" || receipt.Type == "policy renewal" || receipt.Type == "mid term adjustment"
	commission, brokerage, taxes := new(big.Rat), new(big.Rat), new(big.Rat)
	if premium {
		commission = part(t, terms.CommissionPercentage, gross, terms.Currency)
		brokerage = part(t, terms.BrokeragePercentage, gross, terms.Currency)
		taxes = part(t, cmp.Or(terms.TaxPercentage, "0"), gross, terms.Currency)
	}
	net := new(big.Rat).Sub(gross, commission)
	net.Add(net, taxes)
	settled := halfUp(new(big.Rat).Quo(net, rat(t, scalar.Decimal(terms.OriginalPerSettlement))),
		unitsOf[terms.SettlementCurrency])
	for name, pair := range map[string][2]*big.Rat{
		"gross": {gross, rat(t, line.Gross)}, "commission": {commission, rat(t, line.Commission)},
		"brokerage": {brokerage, rat(t, line.Brokerage)}, "net": {net, rat(t, line.Net)},
		"settled": {settled, rat(t, line.Settled)}, "taxes": {taxes, rat(t, line.Taxes)},
	} {
		if pair[0].Cmp(pair[1]) != 0 {
			t.Errorf("%s: %s is %s, and its source gives %s", line.LineID, name, pair[1].FloatString(4),
				pair[0].FloatString(4))
		}
	}
	if (line.Taxes != "") != (terms.TaxPercentage != "") {
		t.Errorf("the taxes of %s are %q, and the contract states %q", line.LineID, line.Taxes, terms.TaxPercentage)
	}
	if receipt.Policy != line.PolicyNumber || receipt.Type != line.ReceiptType || string(line.Rate) !=
		string(terms.OriginalPerSettlement) {
		t.Errorf("%+v is made of %s", line, of.Receipt.Record)
	}
}

// TestEveryFigureOfPremiumFollowsFromItsSource has random receipts and refunds under contracts of several units and
// currencies. The policy is changed afterwards, and the contract as well.
func TestEveryFigureOfPremiumFollowsFromItsSource(t *testing.T) {
	t.Parallel()
	for i, terms := range []string{
		`"amountUnit":"minor","currency":"EUR","settlementCurrency":"JPY","originalPerSettlement":"0.0061",
			"commissionPercentage":"12.5","brokeragePercentage":"2.25"`,
		`"amountUnit":"major","currency":"EUR","settlementCurrency":"KWD","originalPerSettlement":"3.07",
			"commissionPercentage":"17.33","taxPercentage":"12.35"`,
		`"amountUnit":"minor","currency":"KWD","settlementCurrency":"EUR","originalPerSettlement":"0.33",
			"commissionPercentage":"0.005","brokeragePercentage":"100"`,
		`"amountUnit":"minor","currency":"JPY","commissionPercentage":"33.335"`,
		`"amountUnit":"minor","currency":"KWD","taxPercentage":"-100"`,
		`"amountUnit":"major","currency":"EUR","taxPercentage":"0"`,
	} {
		w := newWorld(t, "2026-11-10T12:00:00Z")
		w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
		s := w.start()
		put := func(coverholder string) {
			s.Must(200, "PUT", "/x/contract/C", `{"uniqueMarketReference":"B","coverholderName":"`+coverholder+`",
				"inception":"2026-01-01","expiry":"2027-01-01","lines":["motorCoverage"],"frequency":"month",
				"firstPeriod":"2026-11",`+terms+`}`)
		}
		put("Alder")
		random := rand.New(rand.NewPCG(uint64(i), 2))
		types := []string{"new policy", "policy renewal", "mid term adjustment", "claim payment", "brokerage payment",
			"profit share payment", "other"}
		for range 25 {
			r := w.record("P", types[random.IntN(len(types))], 1+random.Int64N(100_000), "")
			if random.IntN(3) == 0 {
				w.record("P", "other", r.Amount, r.ID)
			}
		}
		w.until(t, "2026-12-01T00:01:00Z")
		signedOff(s, november, "original")
		w.clock.Pass(time.Hour)
		put("Birch")
		w.change("P", policy{"motorCoverage", "2026-03-01T00:00:00Z", "Bo", "cancelled"})
		var page shown.BordereauLines
		read(t, s.Must(200, "GET", november+"/versions/1/lines?limit=200", ""), &page)
		for _, line := range page.Lines {
			of := sourceOf(t, s, november+"/versions/1", line.LineID)
			followsFromReceipt(t, line, of)
			if of.Contract.Contract.CoverholderName != "Alder" || of.Policy.Version != 1 ||
				!strings.Contains(string(of.Policy.Record), `"status":"in force"`) ||
				!strings.Contains(string(of.Policyholder.Record), "Ann Lee") || of.Claim != nil ||
				(of.Reversed != nil) != (line.Reverses != "") {
				t.Fatalf("%+v", of)
			}
			want := "/x/asof/motorCoverage/" + line.PolicyID + "?at=" + url.QueryEscape("2026-12-01T00:01:00Z")
			if of.Policy.Href != want || of.Receipt.Href != strings.Replace(want, "motorCoverage/"+line.PolicyID,
				"receipt/"+line.LineID, 1) {
				t.Errorf("the policy is at %s, the receipt at %s, not %s", of.Policy.Href, of.Receipt.Href, want)
			}
		}
		if len(page.Lines) < 25 {
			t.Errorf("%d lines", len(page.Lines))
		}
	}
}

// followsFromClaim computes the amounts of a line of claims anew, from its source alone.
func followsFromClaim(t *testing.T, line shown.ClaimLine, of shown.LineSource) {
	t.Helper()
	var claim struct {
		Status   string `json:"claimStatus"`
		Reserve  int64  `json:"reserve"`
		Payments []struct {
			Amount int64 `json:"paymentAmount"`
		} `json:"payments"`
	}
	read(t, servicetest.Response{Text: string(of.Claim.Record)}, &claim)
	terms, before := of.Contract.Contract, shown.ClaimAmounts{}
	if of.Claim.Before != nil {
		before = of.Claim.Before.ClaimAmounts
	}
	paid, since := int64(0), int64(0)
	for i, p := range claim.Payments {
		paid += p.Amount
		if i >= of.Claim.ReservedAfter {
			since += p.Amount
		}
	}
	outstanding := max(0, claim.Reserve-since)
	if claim.Status == "closed" {
		outstanding = 0
	}
	major := func(units int64) *big.Rat { return new(big.Rat).Mul(big.NewRat(units, 1), perUnit(terms)) }
	figures := func(paid, outstanding *big.Rat, before shown.ClaimFigures) figuresOf {
		f := figuresOf{previously: new(big.Rat).Add(rat(t, before.PreviouslyPaid), rat(t, before.Paid)),
			outstanding: outstanding}
		f.paid = new(big.Rat).Sub(paid, f.previously)
		f.sum(before, t)
		return f
	}
	settled := func(of figuresOf, before shown.ClaimFigures) figuresOf {
		convert := func(r *big.Rat) *big.Rat {
			return halfUp(new(big.Rat).Quo(r, rat(t, scalar.Decimal(terms.OriginalPerSettlement))),
				unitsOf[terms.SettlementCurrency])
		}
		f := figuresOf{previously: new(big.Rat).Add(rat(t, before.PreviouslyPaid), rat(t, before.Paid)),
			paid: convert(of.paid), outstanding: convert(of.outstanding)}
		f.sum(before, t)
		return f
	}
	indemnity := figures(major(paid), major(outstanding), before.Indemnity)
	indemnity.is(t, line.LineID+" indemnity", line.Indemnity)
	settledIndemnity := settled(indemnity, before.SettledIndemnity)
	settledIndemnity.is(t, line.LineID+" settledIndemnity", line.SettledIndemnity)
	feesPaid, feeReserve := new(big.Rat).Add(rat(t, before.Fees.PreviouslyPaid), rat(t, before.Fees.Paid)), new(big.Rat)
	if added := of.Claim.Supplement; added != nil {
		if added.Supplement.FeesPaid != "" {
			feesPaid = rat(t, scalar.Decimal(added.Supplement.FeesPaid))
		}
		feeReserve = rat(t, scalar.Decimal(added.Supplement.FeeReserve))
	}
	fees := figures(feesPaid, feeReserve, before.Fees)
	fees.is(t, line.LineID+" fees", line.Fees)
	settledFees := settled(fees, before.SettledFees)
	settledFees.is(t, line.LineID+" settledFees", line.SettledFees)
	all := new(big.Rat).Add(settledIndemnity.incurred, settledFees.incurred)
	if all.Cmp(rat(t, line.SettledIncurred)) != 0 {
		t.Errorf("%s: settledIncurred is %s, not %s", line.LineID, line.SettledIncurred, all.FloatString(4))
	}
}

// TestEveryFigureOfClaimsFollowsFromItsSource has claims that move at random for five months, with fees. One of them is
// closed and left out for a while, so that what was reported of it is carried.
func TestEveryFigureOfClaimsFollowsFromItsSource(t *testing.T) {
	t.Parallel()
	w, s := atNovember(t)
	random, made := rand.New(rand.NewPCG(7, 7)), []*claim{}
	still := w.file("P", 700)
	w.settle(still, 700)
	month, carriedOn := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), false
	for range 5 {
		for range 4 {
			made = append(made, w.file("P", random.Int64N(2000)))
		}
		for range 12 {
			c := made[random.IntN(len(made))]
			switch f, _ := c.at(w.clock.Now()); {
			case random.IntN(3) == 0:
				w.reserve(c, random.Int64N(2000))
			case f.status == "closed":
				w.reopen(c)
			default:
				w.settle(c, 1+random.Int64N(500))
			}
			w.clock.Pass(time.Minute)
		}
		if month.Month() == time.February {
			w.reopen(still)
		}
		s.Must(200, "PUT", "/x/supplement/claim/"+made[0].id, fmt.Sprintf(`{"feesPaid":%d.10,"feeReserve":%d}`,
			int(month.Month())%12*10, random.IntN(50)))
		next := month.AddDate(0, 1, 0)
		w.clock.Pass(next.Add(time.Minute).Sub(w.clock.Now()))
		period := claimsOf + month.Format("2006-01")
		signedOff(s, period, "original")
		w.clock.Pass(time.Hour)
		s.Must(200, "PUT", "/x/supplement/claim/"+made[0].id, `{"feesPaid":9999}`) // after the preparation
		w.settle(made[1], 1)
		lines := claimLines(s, period+"/versions/1")
		for id, line := range lines {
			of := sourceOf(t, s, period+"/versions/1", id)
			followsFromClaim(t, line, of)
			if of.Receipt != nil || !strings.HasPrefix(of.Claim.Href, "/x/asof/claim/"+id+"?at=") ||
				!of.Claim.At.Time().Equal(next.Add(-time.Nanosecond)) {
				t.Errorf("%+v", of)
			}
			if id == still.id && month.Month() == time.February {
				carriedOn = of.Claim.Before != nil && string(of.Claim.Before.Indemnity.PreviouslyPaid) == "700.00"
			}
		}
		if len(lines) < 4 {
			t.Errorf("%s has %d lines", period, len(lines))
		}
		month = next
	}
	if !carriedOn {
		t.Error("what was reported of a claim is not carried to the version that shows it again")
	}
}

// TestTheSourceOfALineIsFoundInItsBlock asks for lines at the edges of blocks, and for lines that are not there.
func TestTheSourceOfALineIsFoundInItsBlock(t *testing.T) {
	t.Parallel()
	w, s := atNovember(t)
	w.record("Q", "new policy", 1, "") // of no contract
	var all []*receipt
	for i := range 1203 {
		all = append(all, w.record("P", "new policy", int64(1+i), ""))
		w.record("Q", "new policy", 1, "")
	}
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	for _, i := range []int{0, 1, 498, 499, 500, 501, 999, 1000, 1001, 1201, 1202} {
		if of := sourceOf(t, s, november+"/versions/1", all[i].ID); !strings.Contains(string(of.Receipt.Record),
			fmt.Sprintf(`"paymentAmount":%d,`, 1+i)) {
			t.Errorf("line %d is made of %s", i, of.Receipt.Record)
		}
	}
	for _, i := range []int{0, 1, 500, 1000, len(w.receipts) - 1} {
		of := w.receipts[i]
		if of.Policy == "Q" {
			a := s.Must(404, "GET", november+"/versions/1/lines/"+of.ID+"/source", "")
			if a.Member("type") != "/problems/not-found" {
				t.Error(a.Text)
			}
		}
	}
	s.Must(404, "GET", november+"/versions/1/lines/nothing/source", "")
	s.Must(404, "GET", november+"/versions/2/lines/"+all[0].ID+"/source", "")
	s.Must(200, "GET", november+"/versions/1/lines/"+strings.ToUpper(all[0].ID)+"/source", "")
	w.away["premium"] = true
	s.Must(503, "GET", november+"/versions/1/lines/"+all[0].ID+"/source", "")
	w.away["premium"], w.older["coverage"] = false, true
	s.Must(503, "GET", november+"/versions/1/lines/"+all[0].ID+"/source", "")
}
