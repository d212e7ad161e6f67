package allinone

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/wait"
)

// The contract of these tests takes motor policies that begin from 2026 to 2028 in Paris. Its amounts are in cents.
const (
	figuresContract = `{"agreementNumber":"A1","coverholderName":"C","inception":"2026-01-01","expiry":"2029-01-01",
		"lines":["motorCoverage"],"currency":"GBP","amountUnit":"minor","frequency":"month","firstPeriod":"2026-01",
		"timeZone":"Europe/Paris","commissionPercentage":"12.5","yearOfAccount":2025}`
	figuresReference = "FIGURES-26"
)

// invented is an exchange whose records are invented, and what they come to by this test's own reckoning: by policy,
// in cents of the contract or in whole units of the exchange.
type invented struct {
	*member
	random    *rand.Rand
	now       time.Time
	histories int
	people    []string
	cars      []string
	cells     map[inventedCell]*inventedSums
}

// inventedCell is a line, a contract, a currency, a year and a month.
type inventedCell struct{ line, contract, currency, year, month string }

// inventedSums are in hundredths of a unit.
type inventedSums struct {
	written, earned, received, refunded, commission, paid, outstanding, notified, closed, unpaid int64
}

// inventedPolicy is a policy as the test knows it.
type inventedPolicy struct {
	number, path, line, contract, currency, year string
	zone                                         *time.Location
	begins, ends, coverEnds                      time.Time
	unit                                         int64 // how many hundredths one of the record's amounts is
	gross                                        int64
	at                                           time.Time
	steps                                        []inventedStep
}

// inventedStep is premium that counts from an instant.
type inventedStep struct {
	from   time.Time
	amount int64
}

func (i *invented) cell(p *inventedPolicy, at time.Time) *inventedSums {
	of := inventedCell{p.line, p.contract, p.currency, p.year, at.In(p.zone).Format("2006-01")}
	if i.cells[of] == nil {
		i.cells[of] = &inventedSums{}
	}
	return i.cells[of]
}

func (i *invented) create(path, body string) map[string]any {
	i.t.Helper()
	made := map[string]any{}
	if err := json.Unmarshal([]byte(i.want(201, "POST", path, body).body), &made); err != nil {
		i.t.Fatal(err)
	}
	return made
}

// pass moves the clock forward by up to some hours, or fewer where many histories have to fit.
func (i *invented) pass(hours int) {
	hours = max(2, 60*hours/i.histories)
	i.now = i.now.Add(time.Duration(1+i.random.IntN(hours)) * time.Hour)
	i.want(200, "POST", "/x/clock:advance", `{"to":"`+i.now.Format(time.RFC3339)+`"}`)
}

func (i *invented) policy() *inventedPolicy {
	i.t.Helper()
	begins := i.now.Add(time.Duration(i.random.IntN(6000)-3000) * time.Hour).Truncate(time.Hour)
	p := &inventedPolicy{begins: begins, zone: time.UTC, unit: 100, currency: "EUR", at: begins,
		year: begins.Format("2006")}
	body := fmt.Sprintf(`"policyholderId":%q,"inceptionDate":%q`, i.people[i.random.IntN(len(i.people))],
		begins.Format(time.RFC3339))
	travels := i.random.IntN(3) == 0
	if !travels || i.random.IntN(4) > 0 {
		p.ends = begins.AddDate(0, 0, 1+i.random.IntN(800))
		body += fmt.Sprintf(`,"expiryDate":%q`, p.ends.Format(time.RFC3339))
	}
	if travels {
		p.line = "travelCoverage"
		body += `,"destination":250,"length":3,"travellerIds":["` + i.cars[0] + `"]`
	} else {
		p.line, p.gross = "motorCoverage", int64(i.random.IntN(100_000))
		body += fmt.Sprintf(`,"vehicleId":%q,"driverId":%q,"grossWrittenPremium":%d,"perils":["theft"]`, i.cars[1],
			i.cars[2], p.gross)
		paris, err := time.LoadLocation("Europe/Paris")
		if err != nil {
			i.t.Fatal(err)
		}
		if year := begins.In(paris).Year(); year >= 2026 && year < 2029 {
			p.contract, p.currency, p.zone, p.unit, p.year = figuresReference, "GBP", paris, 1, "2025"
		}
	}
	made := i.create("/"+p.line, "{"+body+"}")
	p.number, _ = made["policyNumber"].(string)
	id, _ := made["id"].(string)
	p.path = "/" + p.line + "/" + id
	i.write(p, p.gross, begins)
	return p
}

// write notes premium that counts from an instant.
func (i *invented) write(p *inventedPolicy, amount int64, from time.Time) {
	if amount != 0 {
		i.cell(p, from).written += amount * p.unit
		p.steps = append(p.steps, inventedStep{from, amount * p.unit})
	}
}

// live makes things happen to a policy.
func (i *invented) live(p *inventedPolicy) {
	i.t.Helper()
	for range i.random.IntN(7) {
		i.pass(400)
		switch choice := i.random.IntN(10); {
		case choice < 3:
			i.receive(p)
		case choice < 5 && p.line == "motorCoverage" && p.coverEnds.IsZero():
			i.endorse(p)
		case choice == 5 && p.coverEnds.IsZero():
			i.cancel(p)
		case choice > 5:
			i.claim(p)
		}
	}
	i.earn(p)
}

func (i *invented) receive(p *inventedPolicy) {
	i.t.Helper()
	amount := int64(1 + i.random.IntN(5000))
	kind := []string{"new policy", "mid term adjustment", "other", "brokerage payment"}[i.random.IntN(4)]
	from := i.now.AddDate(0, 0, -i.random.IntN(90))
	body := fmt.Sprintf(`{"policyNumber":%q,"receiptType":%q,"paymentAmount":%d,"receiptDate":%q}`, p.number, kind,
		amount,
		from.Format(time.DateOnly))
	made := i.create("/receipt", body)
	premium := kind != "brokerage payment"
	i.count(p, premium, amount, from, false)
	for left := amount; left > 0 && i.random.IntN(2) == 0; {
		back := 1 + i.random.Int64N(left)
		left -= back
		i.pass(200)
		id, _ := made["id"].(string)
		i.create("/receipt/"+id+":refund", fmt.Sprintf(`{"receiptType":"other","paymentAmount":%d}`, back))
		i.count(p, premium, back, i.now, true)
	}
}

// count notes a receipt or refund.
func (i *invented) count(p *inventedPolicy, premium bool, amount int64, from time.Time, refund bool) {
	if !premium {
		return
	}
	sign, cell := int64(1), i.cell(p, i.now)
	if refund {
		sign = -1
		cell.refunded += amount * p.unit
	} else {
		cell.received += amount * p.unit
	}
	if p.contract != "" { // 12.5 percent, half a cent counts as one
		cell.commission += sign * ((amount*125 + 500) / 1000)
	}
	if p.line != "motorCoverage" {
		day, _ := time.ParseInLocation(time.DateOnly, from.Format(time.DateOnly), p.zone)
		i.write(p, sign*amount, day)
	}
}

func (i *invented) endorse(p *inventedPolicy) {
	i.t.Helper()
	gross := int64(i.random.IntN(100_000))
	body := fmt.Sprintf(`{"endorsementType":"addition","grossWrittenPremium":%d`, gross)
	if end := cmp.Or(p.ends, p.begins.AddDate(2, 0, 0)); i.random.IntN(2) == 0 && end.Sub(p.at) > 48*time.Hour {
		p.at = p.at.Add(time.Duration(i.random.Int64N(int64(end.Sub(p.at)-time.Hour)/int64(time.Hour))) * time.Hour)
		body += fmt.Sprintf(`,"effectiveDate":%q`, p.at.Format(time.RFC3339))
	}
	i.want(200, "POST", p.path+":endorse", body+"}")
	i.write(p, gross-p.gross, p.at)
	p.gross = gross
}

func (i *invented) cancel(p *inventedPolicy) {
	i.t.Helper()
	p.coverEnds = p.begins.Add(time.Duration(i.random.IntN(600)) * time.Hour)
	now := i.random.IntN(2) == 0
	if now {
		if p.coverEnds = i.now; p.coverEnds.Before(p.begins) {
			p.coverEnds = p.begins
		}
	}
	if !p.ends.IsZero() && p.coverEnds.After(p.ends) {
		p.coverEnds = p.ends
	}
	body := `{"effectiveDate":"` + p.coverEnds.Format(time.RFC3339) + `"}`
	if now {
		body = ""
	}
	i.want(200, "POST", p.path+":cancel", body)
}

// claim makes a claim, if the policy has cover at some instant before now, and has things happen to it.
func (i *invented) claim(p *inventedPolicy) {
	i.t.Helper()
	loss := p.begins.Add(time.Hour)
	if loss.After(i.now) || !p.coverEnds.IsZero() && !loss.Before(p.coverEnds) {
		return
	}
	reserve := int64(i.random.IntN(9000))
	made := i.create("/claim", fmt.Sprintf(`{"policyNumber":%q,"lossDate":%q,"reserve":%d,"lossCause":"theft",`+
		`"claimType":"other","fnol":%q}`, p.number,
		loss.Format(time.RFC3339), reserve, i.now.Format(time.RFC3339)))
	id, _ := made["id"].(string)
	i.cell(p, i.now).notified++
	var outstanding, since, paid int64
	open := true
	stands := func(is int64) {
		i.cell(p, i.now).outstanding += (is - outstanding) * p.unit
		outstanding = is
	}
	stands(reserve)
	for range i.random.IntN(6) {
		i.pass(300)
		amount := int64(1 + i.random.IntN(3000))
		switch choice := i.random.IntN(5); {
		case open && choice == 0:
			i.want(200, "POST", "/x/claim/"+id+":pay", fmt.Sprintf(
				`{"paymentAmount":%d,"paymentMethod":"electronic transfer"}`, amount))
			i.cell(p, i.now).paid += amount * p.unit
			since, paid = since+amount, paid+amount
			stands(max(0, reserve-since))
		case open && choice == 1:
			reserve, since = int64(i.random.IntN(9000)), 0
			now := i.want(200, "GET", "/claim/"+id, "")
			i.want(200, "PUT", "/claim/"+id, fmt.Sprintf(`{"reserve":%d}`, reserve), "If-Match", now.header.Get("ETag"))
			stands(reserve)
		case open:
			body := fmt.Sprintf(`{"paymentAmount":%d,"paymentMethod":"electronic transfer"}`, amount)
			if choice == 2 {
				body, amount = `{"paymentAmount":0,"reason":"withdrawn"}`, 0
			}
			i.want(200, "POST", "/claim/"+id+":settle", body)
			i.cell(p, i.now).paid += amount * p.unit
			since, paid, open = since+amount, paid+amount, false
			i.cell(p, i.now).closed++
			if paid == 0 {
				i.cell(p, i.now).unpaid++
			}
			stands(0)
		default:
			body := ""
			if choice > 2 { // also the reserve that it had
				since, body = 0, fmt.Sprintf(`{"reserve":%d}`, reserve)
			}
			i.want(200, "POST", "/claim/"+id+":reopen", body)
			open = true
			i.cell(p, i.now).closed--
			if paid == 0 {
				i.cell(p, i.now).unpaid--
			}
			stands(max(0, reserve-since))
		}
	}
}

// earn reckons what is earned of a policy: at the end of each month, up to the last full one, of each step its part of
// the days to the end of cover.
func (i *invented) earn(p *inventedPolicy) {
	end := p.ends
	if !p.coverEnds.IsZero() {
		end = p.coverEnds
	}
	days := func(t time.Time) int64 {
		year, month, day := t.In(p.zone).Date()
		return int64(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Sub(time.Unix(0, 0)) / (24 * time.Hour))
	}
	var before int64
	for month := time.Date(2024, 1, 1, 0, 0, 0, 0, p.zone); month.Before(i.now.AddDate(6, 0,
		0)); month = month.AddDate(0, 1, 0) {
		limit := days(month.AddDate(0, 1, 0))
		// The sum of all parts over the product of all denominators.
		sum, below := big.NewInt(0), big.NewInt(1)
		for _, s := range p.steps {
			from := s.from
			if from.Before(p.begins) {
				from = p.begins
			}
			passed, all := int64(0), int64(1)
			switch {
			case limit <= days(from):
			case end.IsZero() || !from.Before(end) || days(end) <= limit:
				passed = 1
			default:
				passed, all = limit-days(from), days(end)-days(from)
			}
			sum.Add(sum.Mul(sum, big.NewInt(all)), new(big.Int).Mul(big.NewInt(s.amount*passed), below))
			below.Mul(below, big.NewInt(all))
		}
		// Half away from zero: (2*sum + sign*below) / (2*below), towards zero.
		twice := new(big.Int).Lsh(sum, 1)
		twice.Add(twice, new(big.Int).Mul(below, big.NewInt(int64(sum.Sign()))))
		earned := twice.Quo(twice, below.Lsh(below, 1)).Int64()
		if change := earned - before; change != 0 {
			i.cell(p, month.AddDate(0, 0, 14)).earned += change
		}
		before = earned
	}
}

// bookFigures are the figures of a cell or row of the book.
type bookFigures struct {
	Written, Earned, Received, Refunded, Commission, Paid, Outstanding, Incurred json.Number
	Notified, Closed, ClosedWithoutPayment                                       int64
}

// hundredths returns a number in hundredths.
func hundredths(t *testing.T, n json.Number) int64 {
	t.Helper()
	r, ok := new(big.Rat).SetString(cmp.Or(n.String(), "0"))
	if r.Mul(r, big.NewRat(100, 1)); !ok || !r.IsInt() {
		t.Fatalf("%s has more than two digits", n)
	}
	return r.Num().Int64()
}

func (f bookFigures) sums(t *testing.T) inventedSums {
	t.Helper()
	of := func(n json.Number) int64 { return hundredths(t, n) }
	if of(f.Incurred) != of(f.Paid)+of(f.Outstanding) {
		t.Errorf("incurred %s of %s and %s", f.Incurred, f.Paid, f.Outstanding)
	}
	return inventedSums{of(f.Written), of(f.Earned), of(f.Received), of(f.Refunded), of(f.Commission), of(f.Paid),
		of(f.Outstanding), f.Notified, f.Closed, f.ClosedWithoutPayment}
}

func (s *inventedSums) add(o inventedSums) {
	s.written, s.earned, s.received, s.refunded = s.written+o.written, s.earned+o.earned, s.received+o.received,
		s.refunded+o.refunded
	s.commission, s.paid, s.outstanding = s.commission+o.commission, s.paid+o.paid, s.outstanding+o.outstanding
	s.notified, s.closed, s.unpaid = s.notified+o.notified, s.closed+o.closed, s.unpaid+o.unpaid
}

type bookCell struct {
	Line, Month, Currency, Policies, Claims string
	Year                                    int
	Contract                                *string
	Figures                                 bookFigures
}

// caughtUp waits until the book has read everything up to now.
func (m *member) caughtUp() {
	m.t.Helper()
	wrote := time.Now()
	wait.Until(m.t, func() error {
		var page struct {
			AsOf time.Time `json:"asOf"`
		}
		got := m.send("GET", "/x/book/policies?limit=1", "", nil)
		if err := json.Unmarshal([]byte(got.body), &page); err != nil || page.AsOf.Before(wrote) {
			return fmt.Errorf("the book: %d %s", got.status, got.body)
		}
		return nil
	})
}

func (m *member) summary(query string) (cells []bookCell) {
	m.t.Helper()
	var of struct{ Cells []bookCell }
	if err := json.Unmarshal([]byte(m.want(200, "GET", "/x/book/summary?"+query, "").body), &of); err != nil {
		m.t.Fatal(err)
	}
	return of.Cells
}

// listed returns all rows of a list, and what those that the selection has come to.
func (m *member) listed(path string) (rows []string, sum inventedSums) {
	m.t.Helper()
	for next := path; next != ""; {
		var page struct {
			Rows []json.RawMessage
			Next string
		}
		if err := json.Unmarshal([]byte(m.want(200, "GET", next, "").body), &page); err != nil {
			m.t.Fatal(err)
		}
		for _, text := range page.Rows {
			var row struct{ Selected *bookFigures }
			if err := json.Unmarshal(text, &row); err != nil {
				m.t.Fatal(err)
			}
			rows = append(rows, string(text))
			if row.Selected != nil {
				sum.add(row.Selected.sums(m.t))
			}
		}
		if next = ""; page.Next != "" {
			u, err := url.Parse(path)
			if err != nil {
				m.t.Fatal(err)
			}
			query := u.Query()
			query.Set("cursor", page.Next)
			next = u.Path + "?" + query.Encode()
		}
	}
	return rows, sum
}

// TestTheBookIsTheSumOfWhatHappened has many histories of policies happen, and compares the book with what the test
// reckons by itself, its cells with the lists that they open to, and the book with one that is made anew.
func TestTheBookIsTheSumOfWhatHappened(t *testing.T) {
	const seed = 41
	histories := 1000
	if testing.Short() {
		histories = 60
	}
	data := t.TempDir()
	r := runTimed(t, data, "--test-clock", "2026-03-01T08:00:00Z", "--amount-unit", "major", "--currency", "EUR",
		"--refund-receipt-type", "other")
	i := &invented{member: &member{&shared{t: t, data: data, base: r.base}, r.token, ""},
		random: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC),
		cells: map[inventedCell]*inventedSums{}, histories: histories}
	t.Logf("seed %d", seed)
	i.prepare()
	for range histories {
		i.live(i.policy())
	}
	i.caughtUp()
	i.compare()
	before := i.wholeBook()
	for _, kept := range []string{"opened again", "made anew"} {
		r.stop()
		if kept == "made anew" {
			if err := os.Remove(filepath.Join(data, "book.sqlite")); err != nil {
				t.Fatal(err)
			}
		}
		r = runTimed(t, data, "--test-clock", "2026-03-01T08:00:00Z", "--amount-unit", "major", "--currency", "EUR")
		i.base = r.base
		i.caughtUp()
		if now := i.wholeBook(); !slices.Equal(now, before) {
			t.Errorf("%s it has %d rows and cells, %d before, or others", kept, len(now), len(before))
		}
	}
}

// prepare makes what policies name.
func (i *invented) prepare() {
	i.t.Helper()
	id := func(path, body string) string { id, _ := i.create(path, body)["id"].(string); return id }
	for n := range 5 {
		i.people = append(i.people, id("/commercial", fmt.Sprintf(`{"name":"Firm %d"}`, n)))
	}
	i.cars = []string{id("/traveller", `{"firstName":"T","lastName":"R","dob":"1990-01-01"}`),
		id("/vehicle", `{"plateNumber":"EX 1"}`),
		id("/driver", `{"name":"D","licence":{"expiryDate":"2099-01-01"}}`)}
	i.want(200, "PUT", "/x/contract/"+figuresReference, figuresContract)
}

// compare compares the cells of the book with those of the test, and with their lists.
func (i *invented) compare() {
	i.t.Helper()
	last := i.now.UTC().AddDate(0, -1, 1-i.now.Day()).Format("2006-01")
	want := map[inventedCell]inventedSums{}
	for of, sums := range i.cells {
		if of.month > last {
			sums.earned = 0
		}
		if of.year, of.line = "", ""; *sums != (inventedSums{}) {
			total := want[of]
			total.add(*sums)
			want[of] = total
		}
	}
	got := map[inventedCell]inventedSums{}
	cells := i.summary("by=contract,month")
	for _, cell := range cells {
		got[inventedCell{"", *cell.Contract, cell.Currency, "", cell.Month}] = cell.Figures.sums(i.t)
	}
	for of := range want {
		if want[of] == (inventedSums{}) {
			delete(want, of)
		}
	}
	for of, sums := range want {
		if got[of] != sums {
			i.t.Errorf("%v\n got %+v\nwant %+v", of, got[of], sums)
		}
	}
	if len(got) != len(want) {
		i.t.Errorf("%d cells, want %d", len(got), len(want))
	}
	total := inventedSums{}
	for _, sums := range want {
		total.add(sums)
	}
	i.opens(append(i.summary("by=line,year"), cells...), total)
	i.develops(total)
	i.ages()
	i.comesLate()
	i.files()
}

// develops compares the steps of loss triangles with the lists that they open to, and their sums with all there is.
func (i *invented) develops(total inventedSums) {
	i.t.Helper()
	for _, query := range []string{"", "measure=paid", "cumulative=false&development=month", "development=year"} {
		var triangle struct {
			Rows []struct {
				Steps []struct {
					Amount json.Number
					Claims string
				}
			}
		}
		if err := json.Unmarshal([]byte(i.want(200, "GET", "/x/book/triangle?"+query, "").body),
			&triangle); err != nil {
			i.t.Fatal(err)
		}
		var all int64
		for _, row := range triangle.Rows {
			for n, step := range row.Steps {
				_, sum := i.listed(step.Claims)
				is, want := hundredths(i.t, step.Amount), sum.paid+sum.outstanding
				if query == "measure=paid" {
					want = sum.paid
				}
				if is != want {
					i.t.Errorf("triangle %s: %s comes to %d, the step is %d", query, step.Claims, want, is)
				}
				if strings.HasPrefix(query, "cumulative=false") || n == len(row.Steps)-1 {
					all += is
				}
			}
		}
		want := total.paid + total.outstanding
		if query == "measure=paid" {
			want = total.paid
		}
		if all != want {
			i.t.Errorf("triangle %s comes to %d, want %d", query, all, want)
		}
	}
}

// ages compares what is open by its age with the lists that it opens to.
func (i *invented) ages() {
	i.t.Helper()
	for of, member := range map[string]string{"premium": "open", "claims": "outstanding"} {
		var aging struct {
			Ages []struct {
				Count int
				Open  json.Number
				Rows  string
			}
		}
		if err := json.Unmarshal([]byte(i.want(200, "GET", "/x/book/aging?of="+of, "").body), &aging); err != nil {
			i.t.Fatal(err)
		}
		path := map[string]string{"premium": "policies", "claims": "claims"}[of]
		all, _ := i.listed("/x/book/" + path + "?" + member + "From=0.01")
		count := 0
		for _, age := range aging.Ages {
			rows, _ := i.listed(age.Rows)
			var sum int64
			for _, text := range rows {
				row := map[string]any{}
				decoder := json.NewDecoder(strings.NewReader(text))
				decoder.UseNumber()
				if err := decoder.Decode(&row); err != nil {
					i.t.Fatal(err)
				}
				sum += hundredths(i.t, row[member].(json.Number))
			}
			if count += age.Count; len(rows) != age.Count || sum != hundredths(i.t, age.Open) {
				i.t.Errorf("%s: %d rows with %d, want %d with %s", age.Rows, len(rows), sum, age.Count, age.Open)
			}
		}
		if count != len(all) || count == 0 {
			i.t.Errorf("%s: %d rows have an age, want %d", of, count, len(all))
		}
	}
}

// comesLate compares the list of what was recorded late with a reckoning from its days.
func (i *invented) comesLate() {
	i.t.Helper()
	late := 0
	all, _ := i.listed("/x/book/movements")
	for _, text := range all {
		var row struct {
			Contract, Date string
			RecordedAt     time.Time
			Late           int
		}
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			i.t.Fatal(err)
		}
		zone := time.UTC
		if row.Contract != "" {
			zone, _ = time.LoadLocation("Europe/Paris")
		}
		want := 0
		for day := row.RecordedAt.In(zone); day.Format("2006-01") > row.Date[:7]; day = day.AddDate(0, 0, -1) {
			want++
		}
		if row.Late != want {
			i.t.Errorf("%s is late by %d days, want %d", text, row.Late, want)
		}
		if want > 0 {
			late++
		}
	}
	if listed, _ := i.listed("/x/book/late"); len(listed) != late || late == 0 {
		i.t.Errorf("%d movements are listed as late, want %d", len(listed), late)
	}
}

// files compares lists as files with their pages, through the gateway.
func (i *invented) files() {
	i.t.Helper()
	for path, key := range map[string]string{"policies?sort=-written&from=2026-02": "policyNumber",
		"claims?sort=outstanding": "claimNumber", "movements?sort=recordedAt": "id", "late": "id"} {
		rows, _ := i.listed("/x/book/" + path)
		file := i.want(200, "GET", "/x/book/"+path, "", "Accept", "text/csv")
		cells, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		if err != nil || len(cells) != len(rows)+1 {
			i.t.Fatalf("%s: %d rows as CSV, want a header and %d; %v", path, len(cells), len(rows), err)
		}
		for n, text := range rows {
			if id := cells[n+1][0]; !strings.HasPrefix(text, fmt.Sprintf(`{%q:%q,`, key, id)) {
				i.t.Errorf("%s: row %d as CSV is %s, want %s", path, n, id, text)
			}
		}
	}
}

// opens compares cells with the lists that they open to, and their sum with all there is.
func (i *invented) opens(cells []bookCell, total inventedSums) {
	i.t.Helper()
	all := inventedSums{}
	for _, cell := range cells {
		is := cell.Figures.sums(i.t)
		if cell.Year > 0 {
			all.add(is)
		}
		_, premium := i.listed(cell.Policies)
		_, losses := i.listed(cell.Claims)
		if premium.add(losses); premium != is {
			i.t.Errorf("%s and %s come to\n%+v, the cell is\n%+v", cell.Policies, cell.Claims, premium, is)
		}
	}
	if all != total {
		i.t.Errorf("by line and year\n%+v, want\n%+v", all, total)
	}
}

// wholeBook returns all rows and cells of the book.
func (i *invented) wholeBook() (all []string) {
	i.t.Helper()
	for _, path := range []string{"policies", "claims", "movements", "policies?sort=-written",
		"claims?sort=lastMovement",
		"movements?sort=amount"} {
		rows, _ := i.listed("/x/book/" + path)
		all = append(append(all, path+strconv.Itoa(len(rows))), rows...)
	}
	for _, by := range []string{"line,month", "year,cause", "country,contract"} {
		for _, cell := range i.summary("by=" + by) {
			all = append(all, fmt.Sprintf("%+v", cell.Figures))
		}
	}
	return all
}
