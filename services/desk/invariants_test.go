package desk_test

import (
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	shown "insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/servicetest"
)

var (
	sequences = flag.Int("sequences", 20, "how many random sequences TestWhatAlwaysHolds runs")
	from      = flag.Int("from", 0, "the first of them; it is the same each time where it is a multiple of 20")
)

// atOnce is how many sequences share a desk and what it reads from, one after the other.
const atOnce = 20

// TestWhatAlwaysHolds records, refunds, settles, assigns, changes policies and contracts, prepares, approves and
// rejects at random while time passes and writes fail. In the end everything is reported: each receipt of a policy of
// the contract is in one line that stands, what was approved reads as it did then, a refund is minus its original, and
// the lines of a claim go on from one another. What is stored is whole, and each version made anew has its digest.
func TestWhatAlwaysHolds(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	failed := map[fault]int{}
	t.Run("sequences", func(t *testing.T) {
		for first := *from; first < *from+*sequences; first += atOnce {
			t.Run(fmt.Sprint(first), func(t *testing.T) {
				t.Parallel()
				writes := runSequences(t, first, min(*from+*sequences, first+atOnce))
				mu.Lock()
				defer mu.Unlock()
				for write, times := range writes {
					failed[write] += times
				}
			})
		}
	})
	t.Logf("of %d sequences, these writes have failed: %v", *sequences, failed)
	if len(failed) < 4 && *sequences >= atOnce {
		t.Errorf("only these writes have failed: %v", failed)
	}
}

// runSequences runs the sequences from one up to another on a desk, and returns the writes that have failed.
func runSequences(t *testing.T, first, end int) map[fault]int {
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "2026-01-05T00:00:00Z")
	faulty := &faultyStore{Store: store, failed: map[fault]int{}}
	s := w.startOn(faulty)
	for n := first; n < end; n++ {
		q := &sequence{T: t, w: w, s: s, store: faulty, random: rand.New(rand.NewPCG(uint64(n), 3)),
			contract: fmt.Sprintf("C%d", n)}
		q.run(n)
		if t.Failed() {
			t.Fatalf("sequence %d: %s", n, strings.Join(q.did, "; "))
		}
	}
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	e := w.examine(t, path)
	if len(e.findings) > 0 || e.counts["versions made anew"] < 2*(end-first) {
		t.Fatalf("sequences %d and later: %+v, %v", first, e.findings, e.counts)
	}
	for _, note := range e.notes {
		if note.Invariant != "a block belongs to a version that is listed" {
			t.Fatalf("sequences %d and later: %+v", first, note)
		}
	}
	return faulty.failed
}

// sequence is one random sequence.
type sequence struct {
	*testing.T
	w        *world
	s        *servicetest.Service
	store    *faultyStore
	random   *rand.Rand
	contract string
	day      time.Time
	first    time.Time
	// ours are the policies that belong to the contract, and others those that can be assigned.
	ours, others []string
	// receipts and claims are those of the sequence.
	receipts []*receipt
	claims   []*claim
	// refunds are those of each receipt.
	refunds map[string][]*receipt
	// approved are the lines of approved versions, by their paths, as they were then.
	approved map[string]string
	did      []string
}

func (q *sequence) run(n int) {
	now := q.w.clock.Now().UTC()
	q.first = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	q.refunds, q.approved = map[string][]*receipt{}, map[string]string{}
	// Each contract takes the policies of one day.
	q.day = time.Date(2000, 1, 1+n, 12, 0, 0, 0, time.UTC)
	for i := range 4 {
		number := fmt.Sprintf("%s-%d", q.contract, i)
		p := policy{"motorCoverage", q.day.Format(time.RFC3339), "Ann", "in force"}
		if i > 1 {
			p.line = "petCoverage" // no contract has it
			q.others = append(q.others, number)
		} else {
			q.ours = append(q.ours, number)
		}
		q.w.policies[number] = p
	}
	q.put("Alder", "open")
	for range 45 {
		q.step()
		q.w.clock.Pass(time.Second)
		if q.Failed() {
			return
		}
	}
	q.finish()
}

// put sets the contract, as somebody who prepares and approves nothing.
func (q *sequence) put(coverholder, basis string) {
	q.s.Must(200, "PUT", "/x/contract/"+q.contract, fmt.Sprintf(`{"uniqueMarketReference":"B","coverholderName":%q,
		"inception":%q,"expiry":%q,"lines":["motorCoverage"],"amountUnit":"minor","currency":"EUR","claimsBasis":%q,
		"settlementCurrency":"JPY","originalPerSettlement":"0.0061","commissionPercentage":"12.5",
		"frequency":"month","firstPeriod":%q}`, coverholder, q.day.Format(time.DateOnly),
		q.day.AddDate(0, 0, 1).Format(time.DateOnly), basis, month(q.first)), caller, "carol")
	q.did = append(q.did, "put "+coverholder+" "+basis)
}

func month(t time.Time) string { return t.Format("2006-01") }

func (q *sequence) period(kind string, at time.Time) string {
	return "/x/bordereau/" + q.contract + "/" + kind + "/" + month(at)
}

// step does one thing at random.
func (q *sequence) step() {
	switch q.random.IntN(14) {
	case 0, 1, 2:
		q.record()
	case 3:
		q.refund()
	case 4, 5:
		q.w.clock.Pass(time.Duration(1+q.random.IntN(20)) * 24 * time.Hour)
	case 6:
		if len(q.others) > 0 && q.random.IntN(3) == 0 {
			q.s.Must(200, "PUT", "/x/contract/"+q.contract+"/policy/"+q.others[0], "")
			q.did = append(q.did, "assign "+q.others[0])
			q.ours, q.others = append(q.ours, q.others[0]), q.others[1:]
		}
	case 7, 8:
		q.claim()
	case 9:
		q.alter()
	default:
		months := int(q.w.clock.Now().Sub(q.first).Hours()/24/30) + 1
		at := q.first.AddDate(0, q.random.IntN(months), 0)
		kind := []string{"premium", "premium", "claims"}[q.random.IntN(3)]
		q.prepare(kind, at, []string{"original", "original", "nil", "additional", "correction"}[q.random.IntN(5)])
	}
}

// record records a receipt. Some were recorded up to 40 days ago and come only now.
func (q *sequence) record() {
	number := slices.Concat(q.ours, q.others)[q.random.IntN(4)]
	types := []string{"new policy", "policy renewal", "mid term adjustment", "claim payment", "other"}
	r := q.w.record(number, types[q.random.IntN(len(types))], int64(1+q.random.IntN(1000)), "")
	if q.random.IntN(4) == 0 {
		ago := q.w.clock.Now().AddDate(0, 0, -q.random.IntN(40))
		if ago.Before(q.first) {
			ago = q.first
		}
		r.RecordedAt = ago.UTC().Format(time.RFC3339)
	}
	q.receipts = append(q.receipts, r)
	q.did = append(q.did, "record "+number+" "+r.RecordedAt)
}

// refund refunds a receipt, or a part of what is left of it.
func (q *sequence) refund() {
	if len(q.receipts) == 0 {
		return
	}
	of := q.receipts[q.random.IntN(len(q.receipts))]
	before, left := q.refunds[of.ID], of.Amount
	for _, b := range before {
		left -= b.Amount
	}
	if of.Reverses != "" || left == 0 {
		return
	}
	var refund *receipt
	if len(before) > 0 || q.random.IntN(2) == 0 {
		refund = q.w.refund(of, 1+q.random.Int64N(left), before...)
	} else {
		refund = q.w.record(of.Policy, "other", of.Amount, of.ID)
	}
	q.refunds[of.ID] = append(before, refund)
	q.receipts = append(q.receipts, refund)
	q.did = append(q.did, fmt.Sprintf("refund %d of %s", refund.Amount, of.ID))
}

// claim files a claim against a policy of the contract, or does something about one, or adds fees to it.
func (q *sequence) claim() {
	if len(q.claims) < 2 || q.random.IntN(6) == 0 {
		q.claims = append(q.claims, q.w.file(q.ours[q.random.IntN(2)], int64(q.random.IntN(1000))))
		q.did = append(q.did, "file "+q.claims[len(q.claims)-1].id)
		return
	}
	c := q.claims[q.random.IntN(len(q.claims))]
	switch f, _ := c.at(q.w.clock.Now()); {
	case q.random.IntN(4) == 0:
		q.s.Must(200, "PUT", "/x/supplement/claim/"+c.id, fmt.Sprintf(`{"feesPaid":%d.5,"feeReserve":%d}`,
			q.random.IntN(90), q.random.IntN(90)))
	case q.random.IntN(3) == 0:
		q.w.reserve(c, int64(q.random.IntN(1000)))
	case f.status == "closed":
		q.w.reopen(c)
	case q.random.IntN(2) == 0:
		// It may have been paid in a period that is approved.
		paid := q.w.clock.Now().UTC().AddDate(0, 0, -q.random.IntN(60))
		q.w.interim(c, int64(1+q.random.IntN(300)), paid.Format(time.RFC3339))
	default:
		q.w.settle(c, int64(1+q.random.IntN(300)))
	}
	q.did = append(q.did, "claim "+c.id)
}

// alter changes a policy, or what the contract says beside amounts.
func (q *sequence) alter() {
	if q.random.IntN(3) == 0 {
		q.put([]string{"Alder", "Birch"}[q.random.IntN(2)], []string{"open", "all"}[q.random.IntN(2)])
		return
	}
	number := q.ours[q.random.IntN(len(q.ours))]
	p := q.w.policies[number]
	p.holder, p.status = p.holder+"a", []string{"in force", "cancelled"}[q.random.IntN(2)]
	q.w.change(number, p)
	q.did = append(q.did, "change "+number)
}

// prepare prepares a version if that is allowed, and approves or rejects it. Some writes of a preparation fail: then
// there is no version, or a whole one.
func (q *sequence) prepare(kind string, at time.Time, of string) {
	period, before := q.period(kind, at), 0
	if q.random.IntN(3) == 0 {
		before = len(q.versions(period))
		q.store.fail(fault{[]string{"block", "ledger"}[q.random.IntN(2)], q.random.IntN(2) == 0})
	}
	v := q.s.Do("POST", period+":prepare", `{"type":"`+of+`"}`, caller, "anna")
	q.store.fail(fault{})
	switch v.Status {
	case http.StatusConflict:
		return
	case http.StatusServiceUnavailable:
		if is := len(q.versions(period)); is != before {
			q.Errorf("%s had %d versions, and has %d after a preparation that failed", period, before, is)
		}
		q.did = append(q.did, "fail "+period)
		return
	case http.StatusCreated:
	default:
		q.Fatalf("%s %s: %s", period, of, v.Text)
	}
	version := period + "/versions/" + number(v)
	if q.random.IntN(4) == 0 {
		q.s.Must(200, "POST", version+":reject", `{"reason":"at random"}`, caller, "bob")
		q.did = append(q.did, "reject "+version)
		return
	}
	q.s.Must(200, "POST", version+":approve", `{"digest":"`+v.Member("digest")+`"}`, caller, "bob")
	q.did = append(q.did, of+" "+version)
	if of == "correction" {
		for path := range q.approved {
			if strings.HasPrefix(path, period+"/") {
				q.approved["replaced "+path] = q.approved[path]
				delete(q.approved, path)
			}
		}
	}
	q.approved[version] = q.lines(version)
}

func (q *sequence) versions(period string) []any {
	return q.s.Must(200, "GET", period, "").Body["versions"].([]any)
}

func (q *sequence) lines(version string) string {
	return q.s.Must(200, "GET", version+"/lines?limit=200", "").Text
}

// finish reports everything, and compares it with what was recorded.
func (q *sequence) finish() {
	end := q.w.clock.Now().AddDate(0, 1, 0)
	end = time.Date(end.Year(), end.Month(), 1, 0, 0, 0, 0, time.UTC)
	q.w.clock.Pass(end.Add(time.Minute).Sub(q.w.clock.Now()))
	for at := q.first; at.Before(end); at = at.AddDate(0, 1, 0) {
		for _, kind := range []string{"premium", "claims"} {
			for _, of := range []string{"original", "nil", "additional"} {
				period := q.period(kind, at)
				v := q.s.Do("POST", period+":prepare", `{"type":"`+of+`"}`, caller, "anna")
				if v.Status == http.StatusCreated {
					version := period + "/versions/" + number(v)
					q.s.Must(200, "POST", version+":approve", `{"digest":"`+v.Member("digest")+`"}`, caller, "bob")
					q.approved[version] = q.lines(version)
					q.did = append(q.did, "finish "+of+" "+version)
				}
			}
		}
	}
	seen, reported := map[string]shown.BordereauLine{}, map[string]shown.ClaimLine{}
	for _, path := range slices.SortedFunc(maps.Keys(q.approved), byPeriod) {
		then := q.approved[path]
		version, replaced := strings.CutPrefix(path, "replaced ")
		if now := q.lines(version); now != then {
			q.Errorf("%s was %s and is %s", version, then, now)
		}
		if replaced {
			continue
		}
		var page shown.BordereauLines
		if err := json.Unmarshal([]byte(then), &page); err != nil {
			q.Fatal(err)
		}
		for _, line := range page.Lines {
			if _, twice := seen[line.LineID]; twice {
				q.Errorf("%s is in two lines that stand", line.LineID)
			}
			seen[line.LineID] = line
			recorded := month(line.RecordedAt.Time())
			if late := !strings.Contains(path, recorded+"/"); late != (line.Late != nil) ||
				late && line.Late.RecordedPeriod != recorded {
				q.Errorf("%s was recorded in %s and is in %s: late is %v", line.LineID, recorded, path, line.Late)
			}
		}
		for _, line := range page.Claims {
			q.goesOn(path, reported[line.LineID].ClaimAmounts, line.ClaimAmounts)
			reported[line.LineID] = line
		}
	}
	q.receiptsAre(seen)
	q.claimsAre(reported)
}

// byPeriod compares the paths of versions by their periods.
func byPeriod(a, b string) int {
	period := func(path string) string { return path[strings.Index(path, "/versions/")-len("2006-01"):] }
	return strings.Compare(period(a), period(b))
}

// goesOn compares what was paid before, and how much more is incurred, with the line before of the same claim.
func (q *sequence) goesOn(path string, was, is shown.ClaimAmounts) {
	for _, f := range []struct {
		name    string
		was, is shown.ClaimFigures
	}{{"indemnity", was.Indemnity, is.Indemnity}, {"settledIndemnity", was.SettledIndemnity, is.SettledIndemnity},
		{"fees", was.Fees, is.Fees}, {"settledFees", was.SettledFees, is.SettledFees}} {
		previously := new(big.Rat).Add(rat(q.T, f.was.PreviouslyPaid), rat(q.T, f.was.Paid))
		change := new(big.Rat).Sub(rat(q.T, f.is.Incurred), rat(q.T, f.was.Incurred))
		if previously.Cmp(rat(q.T, f.is.PreviouslyPaid)) != 0 || change.Cmp(rat(q.T, f.is.ChangeOfIncurred)) != 0 {
			q.Errorf("%s: %s goes from %+v to %+v", path, f.name, f.was, f.is)
		}
	}
}

// receiptsAre compares the lines that stand with the receipts.
func (q *sequence) receiptsAre(seen map[string]shown.BordereauLine) {
	belongs := 0
	for _, r := range q.receipts {
		line, has := seen[r.ID]
		if ours := slices.Contains(q.ours, r.Policy); ours != has {
			q.Errorf("%s of %s, recorded at %s, is in a line: %t", r.ID, r.Policy, r.RecordedAt, has)
		} else if ours {
			belongs++
		}
		original, is := seen[r.Reverses]
		if is && (rat(q.T, line.Gross).Cmp(big.NewRat(-r.Amount, 100)) != 0 || original.Section != line.Section ||
			r.RefundNumber == 0 && rat(q.T, original.Settled).Cmp(new(big.Rat).Neg(rat(q.T, line.Settled))) != 0) {
			q.Errorf("the refund %v is not minus what it gives back of %v", line, original)
		}
	}
	q.refundsAre(seen)
	if belongs != len(seen) {
		q.Errorf("%d lines stand for %d receipts", len(seen), belongs)
	}
}

// refundsAre adds up receipts of which all was given back with their refunds: nothing is left, but for what each line
// is rounded by on its own.
func (q *sequence) refundsAre(seen map[string]shown.BordereauLine) {
	for id, refunds := range q.refunds {
		original, is := seen[id]
		gross, net := rat(q.T, original.Gross), rat(q.T, original.Net)
		for _, r := range refunds {
			line, has := seen[r.ID]
			is = is && has
			gross.Add(gross, rat(q.T, line.Gross))
			net.Add(net, rat(q.T, line.Net))
		}
		most := big.NewRat(int64(1+len(refunds)), 100)
		if is && (gross.Sign() < 0 || gross.Sign() == 0 && net.Abs(net).Cmp(most) > 0) {
			q.Errorf("of %v and its refunds, %s and %s are left", original, gross.FloatString(2), net.FloatString(2))
		}
	}
}

// claimsAre compares the last line of each claim with all that was paid for it.
func (q *sequence) claimsAre(reported map[string]shown.ClaimLine) {
	for _, c := range q.claims {
		line, has := reported[c.id]
		f, _ := c.at(q.w.clock.Now())
		paid := new(big.Rat).Add(rat(q.T, line.Indemnity.PreviouslyPaid), rat(q.T, line.Indemnity.Paid))
		if !has || paid.Cmp(big.NewRat(f.paid, 100)) != 0 {
			q.Errorf("%d was paid for %s, and %s is reported", f.paid, c.id, paid.FloatString(2))
		}
	}
}
