package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/desk"
)

// putContract sets a contract with a bound between both.
func (c *caller) putContract(ctx context.Context, i, bound int) {
	from, before := 1, bound
	if i == 1 {
		from, before = bound, deskPolicies+1
	}
	if from == before { // it takes nothing: no policy begins on that day
		from, before = 10, 11
	}
	got := c.expect(ctx, http.MethodPut, "/x/contract/"+deskContracts[i], fmt.Sprintf(`{"uniqueMarketReference":"B",
		"coverholderName":"Alder","inception":"2026-01-01","expiry":"2027-01-01","lines":["motorCoverage"],
		"risksFrom":"2026-01-%02d","risksBefore":"2026-01-%02d","amountUnit":"major","currency":"EUR",
		"commissionPercentage":"12.5","claimsBasis":"all","frequency":"month","firstPeriod":"2026-03",
		"signOff":"one"}`, from, before))
	c.book.desk.made[i] = c.book.desk.made[i] || got.status == http.StatusOK || got.status == http.StatusCreated
}

// anyID finds ids. In the history they have only their last part, which the seed decides.
var anyID = regexp.MustCompile(`[0-9a-f-]{28}([0-9a-f]{8})`)

// expect sends a request to any replica of the desk, again and again until there are no more faults or a response
// comes. Requests that others are in the way of are refused.
func (c *caller) expect(ctx context.Context, method, path, body string, header ...string) answer {
	what := method + " " + anyID.ReplaceAllString(path, "$1")
	for range patience {
		got, heard := c.reach("desk", c.random).send(ctx, what, method, path, body, header...)
		switch {
		case heard && (got.status < 300 || got.status == http.StatusConflict || got.status == http.StatusNotFound):
			return got
		case heard && got.status != http.StatusServiceUnavailable:
			c.complain("%s %s: %d %s", method, path, got.status, got.body)
			return got
		case !c.persists && c.random.IntN(4) == 0:
			return answer{}
		}
		pause(ctx, time.Second/4+time.Duration(c.random.Int64N(int64(time.Second))))
	}
	c.complain("%s %s: no response after %d requests", method, path, patience)
	return answer{}
}

func (c *caller) monthPath(contract string, month time.Time) string {
	return "/x/bordereau/" + contract + "/" + c.book.desk.kind + "/" + month.Format("2006-01")
}

// nextMonth returns the first month of a contract that nobody has heard to be reported.
func (c *caller) nextMonth(contract string) time.Time {
	for month := firstMonth; ; month = month.AddDate(0, 1, 0) {
		reported := false
		for number := 1; number <= mostNumber; number++ {
			version := fmt.Sprintf("%s/versions/%d", c.monthPath(contract, month), number)
			reported = reported || c.book.desk.decided[version] == desk.Approved
		}
		if !reported {
			return month
		}
	}
}

// prepareNext prepares the next month of a contract, as what it has to be, and has it approved or rejected.
func (c *caller) prepareNext(ctx context.Context, contract string) {
	month := c.monthPath(contract, c.nextMonth(contract))
	for _, of := range []string{desk.Original, desk.Nil} {
		version, status := c.prepare(ctx, month, of)
		if version == "" && status == http.StatusConflict && c.random.IntN(2) == 0 {
			version = c.pendingOf(ctx, month)
		}
		if version != "" {
			c.decide(ctx, version, c.random.IntN(4) > 0)
			return
		}
	}
}

// prepareAnyhow prepares a version of any type for any month, and has it approved or rejected.
func (c *caller) prepareAnyhow(ctx context.Context, contract string) {
	months := (int(c.now().Month()) - int(firstMonth.Month())) + 1
	month := c.monthPath(contract, firstMonth.AddDate(0, c.random.IntN(months), 0))
	kinds := []string{desk.Original, desk.Original, desk.Nil, desk.Additional, desk.Correction}
	version, status := c.prepare(ctx, month, kinds[c.random.IntN(len(kinds))])
	if status == http.StatusConflict && c.random.IntN(2) == 0 {
		version = c.pendingOf(ctx, month)
	}
	if version != "" {
		c.decide(ctx, version, c.random.IntN(4) > 0)
	}
}

// prepare prepares a version, and returns its path; empty if there is none.
func (c *caller) prepare(ctx context.Context, month, of string) (version string, status int) {
	key := fmt.Sprintf("key-%d", c.random.Uint64())
	got := c.expect(ctx, http.MethodPost, month+":prepare", `{"type":"`+of+`"}`, "Idempotency-Key", key)
	if got.status != http.StatusCreated && got.status != http.StatusOK {
		return "", got.status
	}
	var head desk.BordereauVersion
	if err := json.Unmarshal([]byte(got.body), &head); err != nil {
		c.complain("%s:prepare: %v", month, err)
	}
	version = fmt.Sprintf("%s/versions/%d", month, head.Number)
	c.once(c.book.desk.digests, version, head.Digest)
	c.readVersion(ctx, version)
	return version, got.status
}

// once notes something that never changes.
func (c *caller) once(of map[string]string, path, is string) {
	if was, known := of[path]; known && was != is {
		c.complain("%s was %s and is %s", path, was, is)
	}
	of[path] = is
}

// periodsOf returns the periods of a contract with their versions.
func (c *caller) periodsOf(ctx context.Context, contract string) (periods []desk.BordereauPeriod) {
	got := c.expect(ctx, http.MethodGet, "/x/bordereau?limit=100&kind="+c.book.desk.kind+"&contract="+contract, "")
	if got.status != http.StatusOK {
		return nil
	}
	var work desk.BordereauWork
	if err := json.Unmarshal([]byte(got.body), &work); err != nil {
		c.complain("the work list: %v", err)
	}
	return work.Periods
}

func (c *caller) pendingOf(ctx context.Context, month string) string {
	contract := strings.Split(month, "/")[3]
	for _, p := range c.periodsOf(ctx, contract) {
		for _, v := range p.Versions {
			if v.State == desk.Pending {
				return fmt.Sprintf("/x/bordereau/%s/%s/%s/versions/%d", contract, p.Kind, p.Period, v.Number)
			}
		}
	}
	return ""
}

// decide waives what was found of a version and approves it, or rejects it. It reports whether that was done.
func (c *caller) decide(ctx context.Context, version string, approves bool) bool {
	verb, state, body := ":reject", desk.Rejected, `{"reason":"at random"}`
	if approves {
		var findings desk.BordereauFindings
		var head desk.BordereauVersion
		if !c.get(ctx, version, &head) || !c.get(ctx, version+"/findings?limit=200", &findings) {
			return false
		}
		for _, f := range findings.Findings {
			if f.Severity == desk.SeverityError && f.WaivedBy == "" {
				c.expect(ctx, http.MethodPost, version+"/findings/"+f.ID+":waive", `{"reason":"she has no name"}`)
			}
		}
		verb, state, body = ":approve", desk.Approved, `{"digest":"`+head.Digest+`"}`
	}
	if c.expect(ctx, http.MethodPost, version+verb, body).status != http.StatusOK {
		return false
	}
	c.once(c.book.desk.decided, version, state)
	c.readVersion(ctx, version)
	return true
}

// get reads a path of the desk into a value, and reports whether it got it.
func (c *caller) get(ctx context.Context, path string, into any) bool {
	got := c.expect(ctx, http.MethodGet, path, "")
	if got.status == 0 {
		return false
	}
	if err := json.Unmarshal([]byte(got.body), into); err != nil || got.status != http.StatusOK {
		c.complain("GET %s: %d %s", path, got.status, got.body)
		return false
	}
	return true
}

// readVersion reads a version and its lines, and compares both with what they were when they were read first.
func (c *caller) readVersion(ctx context.Context, version string) {
	for _, path := range []string{version, version + "/lines?limit=200"} {
		if got := c.expect(ctx, http.MethodGet, path, ""); got.status == http.StatusOK {
			c.once(c.book.desk.first, path, got.body)
		} else if got.status != 0 {
			c.complain("GET %s: %d %s", path, got.status, got.body)
		}
	}
}

// readAgain reads any version that was prepared.
func (c *caller) readAgain(ctx context.Context) {
	var names []string
	for version := range c.book.desk.digests {
		names = append(names, version)
	}
	if slices.Sort(names); len(names) > 0 {
		c.readVersion(ctx, names[c.random.IntN(len(names))])
	}
}
