package simulation

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/contracts/desk"
	service "insurance.example/exchange/services/desk"
)

// deskBook holds what was heard of contracts and of versions.
type deskBook struct {
	// kind is the kind of the bordereaux.
	kind string
	// first is what readers of a version got when it was first read, by its path.
	first map[string]string
	// digests are those of versions that a response said were prepared, and decided the states that others said they
	// have, by path.
	digests, decided map[string]string
	// recorded are the ids of receipts or claims that a response said were recorded, and reversed the receipts that
	// were refunded.
	recorded []string
	reversed map[string]bool
	// steady: contracts keep their policies, so that no receipt is looked at again for that reason.
	steady bool
	// made says which contracts a response said were set.
	made [2]bool
	// stands are the lines of the versions that stand in the end, by the ids of their receipts; nil before.
	stands map[string][]standingLine
}

// deskOf returns a desk and the replicas of the service that has what it reports. slowest is an operation of these.
func deskOf(source replicas, work func(*caller, context.Context, int), slowest string) kind {
	return kind{
		services: []replicas{of(2, service.Service), source}, work: work, stubs: deskStubs(),
		finish: (*caller).finishDesk, apart: time.Minute,
		slow: []string{
			"", slowest, "assignment ", "ledger insert", "ledger replace", "block insert", "contract replace",
		},
	}
}

const (
	// deskPolicies is how many policies receipts are about. The first policyholder has no name, so that a person has to
	// waive what is found of each line.
	deskPolicies = 8
	// mostMonths is how many months the clock passes at most while callers work.
	mostMonths = 2
	// mostNumber is beyond how many versions of a month there are.
	mostNumber = 20
)

// deskContracts are the references of the contracts. The first takes the policies below a bound, and the other those
// from it on.
var deskContracts = []string{"A", "B"}

// firstMonth is the first period of the contracts.
var firstMonth = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// incepts returns the day of January 2026 at which a policy begins.
func incepts(policy string) string { return "2026-01-0" + policy[1:] }

// deskStubs are the services that know policies and their holders. Of those that have what is reported, a seed
// simulates one, and the other one has nothing.
func deskStubs() map[string]http.Handler {
	records := func(record func(name string) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			names := strings.Split(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], ",")
			wrong := make([]string, len(names))
			for i, name := range names {
				wrong[i] = record(name)
			}
			member := "records"
			if strings.HasPrefix(r.URL.Path, "/internal/attachments/") {
				member = "policies"
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{%q:[%s],"looked":%d}`, member, strings.Join(wrong, ","), len(names))
		}
	}
	none := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"records":[],"claims":[],"sums":[],"rows":[]}`)
	})
	const past = `{"name":%q,"resource":%q,"id":%q,"version":1,"record":%s}`
	policies := http.NewServeMux()
	policies.Handle("/internal/attachments/", records(func(number string) string {
		return fmt.Sprintf(`{"policyNumber":%q,"line":"motorCoverage","inceptionDate":"%sT12:00:00Z"}`, number,
			incepts(number))
	}))
	policies.Handle("/internal/records-at/", records(func(number string) string {
		return fmt.Sprintf(past, number, "motorCoverage", holder, fmt.Sprintf(
			`{"id":%q,"inceptionDate":"%sT12:00:00Z","expiryDate":"2099-01-01T00:00:00Z","policyholderId":%q}`,
			holder, incepts(number), number))
	}))
	policies.Handle("/", stubs["coverage"])
	return map[string]http.Handler{
		"coverage": policies,
		"parties": records(func(id string) string {
			name := "Ann"
			if id == "P1" {
				name = ""
			}
			return fmt.Sprintf(past, id, "commercial", holder, fmt.Sprintf(`{"name":%q}`, name))
		}),
		"claims": none, "premium": none,
	}
}

// workOnPremium has receipts reported, and workOnLosses claims.
func (c *caller) workOnPremium(ctx context.Context, number int) {
	book := deskBook{kind: desk.Premium, steady: c.random.IntN(2) == 0}
	c.workOnDesk(ctx, number, book, [4]task{(*caller).record, (*caller).record, (*caller).record, (*caller).refundAny})
}

func (c *caller) workOnLosses(ctx context.Context, number int) {
	book := deskBook{kind: desk.Claims, steady: true}
	c.workOnDesk(ctx, number, book, [4]task{(*caller).report, (*caller).report, (*caller).pay, (*caller).pay})
}

// workOnDesk does all that a desk does, at random, while months pass, and has other callers make records meanwhile. The
// first caller makes the contracts.
func (c *caller) workOnDesk(ctx context.Context, number int, book deskBook, makes [4]task) {
	if number == 0 {
		book.first, book.digests, book.decided = map[string]string{}, map[string]string{}, map[string]string{}
		book.reversed = map[string]bool{}
		c.book.desk = book
		c.persists = true
		for i := range deskContracts {
			c.putContract(ctx, i, 1+deskPolicies/2)
		}
		c.persists = false
	}
	for range 16 + c.random.IntN(16) {
		pause(ctx, time.Duration(c.random.Int64N(int64(c.troubled/16))))
		contract := deskContracts[c.random.IntN(len(deskContracts))]
		step := c.random.IntN(16)
		if c.book.desk.steady && step >= 4 && step <= 6 {
			step = c.random.IntN(4)
		}
		switch step {
		case 0, 1, 2, 3:
			c.meanwhile(makes[step])
		case 4, 5:
			c.expect(ctx, http.MethodPut, "/x/contract/"+contract+"/policy/"+c.anyPolicy(), "")
		case 6:
			bound := 1 + c.random.IntN(deskPolicies+1)
			for _, i := range c.random.Perm(len(deskContracts)) {
				c.putContract(ctx, i, bound)
			}
		case 7, 8:
			c.passToTheEndOfTheMonth(ctx)
			c.prepareNext(ctx, contract)
		case 9:
			c.readAgain(ctx)
		case 10:
			c.prepareAnyhow(ctx, contract)
		default:
			c.prepareNext(ctx, contract)
		}
	}
}

func (c *caller) anyPolicy() string { return fmt.Sprintf("P%d", 1+c.random.IntN(deskPolicies)) }

// anyRecord returns the id of a record that a response said was made; empty if there is none.
func (c *caller) anyRecord() string {
	of := c.book.desk.recorded
	if len(of) == 0 {
		return ""
	}
	return of[c.random.IntN(len(of))]
}

// record records a receipt.
func (c *caller) record(ctx context.Context) {
	kinds, policy := []string{"new policy", "mid term adjustment", "claim payment", "other"}, c.anyPolicy()
	got, heard := c.reach("premium", c.random).post(ctx, "POST receipt "+policy, "/receipt", fmt.Sprintf(
		`{"policyNumber":%q,"receiptType":%q,"paymentAmount":%d}`, policy, kinds[c.random.IntN(len(kinds))],
		1+c.random.IntN(1000)))
	if heard && got.status == http.StatusCreated {
		c.book.desk.recorded = append(c.book.desk.recorded, got.member("id"))
	}
}

// refundAny refunds a receipt.
func (c *caller) refundAny(ctx context.Context) {
	if id := c.anyRecord(); id != "" && !c.book.desk.reversed[id] {
		c.book.desk.reversed[id] = true
		c.reach("premium", c.random).post(ctx, "refund of "+id[28:], "/receipt/"+id+":refund",
			`{"receiptType":"other"}`)
	}
}

// report makes a claim.
func (c *caller) report(ctx context.Context) {
	policy := c.anyPolicy()
	got, heard := c.reach("claims", c.random).post(ctx, "POST claim "+policy, "/claim", fmt.Sprintf(
		`{"policyNumber":%q,"lossDate":"2026-02-01T00:00:00Z","claimType":"other","reserve":%d}`, policy,
		c.random.IntN(1000)))
	if heard && got.status == http.StatusCreated {
		c.book.desk.recorded = append(c.book.desk.recorded, got.member("id"))
	}
}

// pay settles a claim, or reopens it.
func (c *caller) pay(ctx context.Context) {
	id := c.anyRecord()
	if id == "" {
		return
	}
	action, body := ":reopen", `{}`
	if c.random.IntN(3) > 0 {
		action, body = ":settle", fmt.Sprintf(`{"paymentAmount":%d,"paymentMethod":"cash"}`, 1+c.random.IntN(1000))
	}
	c.reach("claims", c.random).post(ctx, action+" "+id[28:], "/claim/"+id+action, body)
}

// passToTheEndOfTheMonth has the clock pass to a little before or after the end of the month, or so long after it that
// the month can be prepared.
func (c *caller) passToTheEndOfTheMonth(ctx context.Context) {
	now := c.now()
	end := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	for _, contract := range deskContracts {
		if c.nextMonth(contract).AddDate(0, 2, 0).Before(end) && c.random.IntN(4) > 0 {
			return // what is over is reported first
		}
	}
	if end.After(firstMonth.AddDate(0, mostMonths+1, 0)) {
		return
	}
	after := []time.Duration{-2 * time.Second, 2 * time.Second, time.Minute, 2 * time.Minute}
	if by := end.Add(after[c.random.IntN(len(after))]).Sub(now); by > 0 {
		c.pass(ctx, by)
	}
}
