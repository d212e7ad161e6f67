package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// policyBook holds the requests about policies and their claims, and the responses.
type policyBook struct {
	// business is the id of the business that all policies cover; empty until a response has it.
	business string
	policies []*policy
	// filed holds the claims that were sent, by description. Each is sent once.
	filed map[string]*filing
}

// policy is a policy that callers know of.
type policy struct {
	number int
	// id and policyNumber identify it in requests.
	id, policyNumber string
	// replacements has as keys the limit that each replacement sets, which is different for each. Each is sent once.
	replacements map[int]*replacement
	// endorsements are the same of endorsements.
	endorsements map[int]*replacement
	// endings are the states that responses to requests to end the policy had. kept is true if a response said that the
	// policy had already ended.
	endings []string
	kept    bool
	// heard is when a response first said that the policy had ended, and cover with it.
	heard time.Time
}

// replacement is a request to replace a policy that is still at the version of an entity tag.
type replacement struct {
	tag           string
	made, refused bool
}

// filing is a request to make a claim.
type filing struct {
	// policy is nil if the claim is on a policy that does not exist.
	policy *policy
	// late is true if a response had said, long enough before, that the policy had ended before the loss.
	late          bool
	made, refused bool
}

const (
	policyPath = "/cyberLiabilityCoverage"
	term       = `"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"`
	// holder is the id of a party that the stub of the parties service knows.
	holder = "0199a0b0-0000-7000-8000-000000000001"
	// moment is the greatest difference between the instants of two processes that comes from rounding.
	moment = time.Second
)

// workOnPolicies issues policies. It replaces, cancels and reports on policies of all callers, and files claims on
// them.
func (c *caller) workOnPolicies(ctx context.Context, number int) {
	book := &c.book.policies
	for i := range 5 + c.random.IntN(8) {
		pause(ctx, time.Duration(c.random.Int64N(int64(800*time.Millisecond))))
		unique := 1000*(number+1) + i
		switch {
		case book.business == "":
			if got, heard := c.send(ctx, "POST business", http.MethodPost, "/business",
				`{"businessSector":"x"}`); heard && got.status == http.StatusCreated {
				book.business = got.member("id")
			}
			continue
		case len(book.policies) == 0 || len(book.policies) < 4 && c.random.IntN(4) == 0:
			c.issue(ctx, unique)
			continue
		}
		p := book.policies[c.random.IntN(len(book.policies))]
		switch c.random.IntN(11) {
		case 0:
			c.end(ctx, p, "cancelled", policyPath+"/"+p.id+":cancel")
		case 1:
			c.end(ctx, p, "lapsed", "/internal/lapse/"+p.policyNumber)
		case 8, 9, 10:
			c.endorse(ctx, p, unique)
		case 2, 3:
			c.file(ctx, p, unique)
		case 4:
			c.file(ctx, nil, unique)
		default:
			c.replace(ctx, p, unique)
		}
	}
}

// send sends a request about policies to the coverage service. It complains of a response that is neither an outage nor
// expected.
func (c *caller) send(ctx context.Context, what, method, path, body string, header ...string) (got answer, heard bool) {
	got, heard = c.reach("coverage", c.random).send(ctx, what, method, path, body, header...)
	switch got.status {
	case http.StatusServiceUnavailable:
		return got, false
	case 0, http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusConflict, http.StatusPreconditionFailed:
	default:
		c.complain("%s: %d %s", what, got.status, got.body)
	}
	return got, heard
}

func (c *caller) terms(limit int) string {
	return fmt.Sprintf(
		`{"policyholderId":%q,"businessId":%q,"indemnityLimitPolicy":%d,"scope":[%q,%q],%s}`, holder,
		c.book.policies.business, limit, covers(limit)[0], covers(limit)[1], term)
}

// issue issues a policy.
func (c *caller) issue(ctx context.Context, limit int) {
	got, heard := c.send(ctx, fmt.Sprintf("POST policy %d", limit), http.MethodPost, policyPath, c.terms(limit))
	if heard && got.status == http.StatusCreated {
		c.book.policies.policies = append(c.book.policies.policies, &policy{
			number: limit, id: got.member("id"), policyNumber: got.member("policyNumber"),
			replacements: make(map[int]*replacement), endorsements: make(map[int]*replacement),
		})
	}
}

// replace reads a policy, and replaces it if it is still as it was read.
func (c *caller) replace(ctx context.Context, p *policy, limit int) {
	path := policyPath + "/" + p.id
	read, heard := c.send(ctx, fmt.Sprintf("GET policy %d", p.number), http.MethodGet, path, "")
	if !heard {
		return
	}
	pause(ctx, time.Duration(c.random.Int64N(int64(100*time.Millisecond))))
	r := &replacement{tag: read.tag}
	p.replacements[limit] = r
	got, heard := c.send(ctx, fmt.Sprintf("PUT policy %d as %d", p.number, limit), http.MethodPut, path, c.terms(limit),
		"If-Match", read.tag)
	if heard {
		r.made, r.refused = got.status == http.StatusOK, got.status != http.StatusOK
	}
}

// end ends a policy, and its cover at some day or now.
func (c *caller) end(ctx context.Context, p *policy, state, path string) {
	body, day := "", c.now()
	if c.random.IntN(2) == 0 {
		day = begins.AddDate(0, c.random.IntN(13), 0)
		body = `{"effectiveDate":"` + day.Format(time.RFC3339) + `"}`
	}
	got, heard := c.send(ctx, fmt.Sprintf("policy %d is %s", p.number, state), http.MethodPost, path, body)
	if !heard {
		return
	}
	if got.status == http.StatusConflict {
		p.kept = true
	} else {
		p.endings = append(p.endings, state)
	}
	if p.heard.IsZero() && got.status != http.StatusConflict && !day.After(c.now()) {
		p.heard = c.now()
	}
}

// file files a claim for a loss at this instant: on a policy, or on one that does not exist if p is nil.
func (c *caller) file(ctx context.Context, p *policy, unique int) {
	description, policyNumber, now := fmt.Sprint("loss ", unique), "POL-NONE", c.now()
	f := &filing{policy: p}
	if p != nil {
		policyNumber = p.policyNumber
		f.late = !p.heard.IsZero() && now.Sub(p.heard) > moment
	}
	c.book.policies.filed[description] = f
	body := fmt.Sprintf(
		`{"policyNumber":%q,"lossDate":%q,"lossCause":"Breach of privacy","claimType":"other","description":%q}`,
		policyNumber, now.Format(time.RFC3339Nano), description)
	got, heard := c.reach("claims", c.random).post(ctx, "POST claim of "+description, "/claim", body)
	switch {
	case !heard || got.status == http.StatusServiceUnavailable: // Whether it was made is not known.
	case got.status == http.StatusCreated:
		f.made = true
	case got.status >= 400 && got.status < 500:
		f.refused = true
	default:
		c.complain("POST /claim: %d %s", got.status, got.body)
	}
}

// storedPolicy is a policy at one of its versions.
type storedPolicy struct {
	ID                   string `json:"id"`
	Status               string `json:"status"`
	IndemnityLimitPolicy int    `json:"indemnityLimitPolicy"`
	Scope                []string
}

// versionsOf returns the versions of a policy, the first one first.
func (x *exchange) versionsOf(p *policy) ([]storedPolicy, error) {
	id, err := uuid.Parse(p.id)
	if err != nil {
		return nil, fmt.Errorf("policy %d was given the id %q", p.number, p.id)
	}
	var versions []storedPolicy
	for _, body := range x.store.Versions("policy", id) {
		var v storedPolicy
		if err := json.Unmarshal(body, &v); err != nil {
			return nil, fmt.Errorf("policy %d cannot be read: %w", p.number, err)
		}
		versions = append(versions, v)
	}
	return versions, nil
}

const inForce = "in force"

// checkPolicies compares the policies with the book, each version with the one before, and the claims with the
// policies.
func (x *exchange) checkPolicies(complain func(string, ...any)) {
	last := make(map[*policy]storedPolicy)
	for _, p := range x.book.policies.policies {
		versions, err := x.versionsOf(p)
		if err != nil {
			complain("%v", err)
			continue
		}
		if len(versions) == 0 {
			complain("policy %d was acknowledged and is lost", p.number)
			continue
		}
		p.checkVersions(versions, complain)
		last[p] = versions[len(versions)-1]
	}
	x.checkFiled(last, complain)
}

// checkVersions compares the versions of a policy with the responses.
func (p *policy) checkVersions(versions []storedPolicy, complain func(string, ...any)) {
	times := make(map[int]int)
	for i, is := range versions[1:] {
		was := versions[i]
		replaced := p.replacements[is.IndemnityLimitPolicy]
		switch {
		case was.Status == is.Status && p.endorsements[is.IndemnityLimitPolicy] != nil:
			times[is.IndemnityLimitPolicy]++
		case was.Status == inForce && slices.Contains([]string{"cancelled", "lapsed"}, is.Status) &&
			is.IndemnityLimitPolicy == was.IndemnityLimitPolicy:
		case was.Status != is.Status || replaced == nil:
			complain("policy %d goes from %+v to %+v", p.number, was, is)
		case replaced.tag != strconv.Quote(strconv.Itoa(i+1)):
			complain("policy %d: version %d was replaced by %+v, which was for the version of the tag %s", p.number,
				i+1, is, replaced.tag)
		default:
			times[is.IndemnityLimitPolicy]++
		}
	}
	for _, changes := range []map[int]*replacement{p.replacements, p.endorsements} {
		for limit, r := range changes {
			switch count := times[limit]; {
			case count > 1:
				complain("policy %d was changed by %d for %d times", p.number, limit, count)
			case count == 1 && r.refused:
				complain("the change of policy %d by %d was refused and made", p.number, limit)
			case count == 0 && r.made:
				complain("the change of policy %d by %d was acknowledged and is lost", p.number, limit)
			}
		}
	}
	is := versions[len(versions)-1].Status
	if len(p.endings) > 1 || len(p.endings) == 1 && is != p.endings[0] || p.kept && is == inForce {
		complain("policy %d is %s, but responses said %v (ended before: %v)", p.number, is, p.endings, p.kept)
	}
}

// checkFiled compares the stored claims with the responses, and with the policies as they are now.
func (x *exchange) checkFiled(last map[*policy]storedPolicy, complain func(string, ...any)) {
	counts := make(map[string]int)
	for _, doc := range x.store.Documents("claim") {
		var claim struct{ Description string }
		if err := json.Unmarshal(doc.Body, &claim); err != nil {
			complain("claim %s cannot be read: %v", doc.ID, err)
		}
		counts[claim.Description]++
	}
	for description, f := range x.book.policies.filed {
		switch times := counts[description]; {
		case times > 1:
			complain("the claim of %s was made %d times", description, times)
		case times == 1 && f.policy == nil:
			complain("the claim of %s is on a policy that does not exist", description)
		case times == 1 && f.late:
			complain("the claim of %s was made after a response had said that policy %d had ended", description,
				f.policy.number)
		case times == 1 && f.refused:
			complain("the claim of %s was refused and made", description)
		case times == 0 && f.made:
			complain("the claim of %s was acknowledged and is lost", description)
		case f.refused && f.policy != nil && last[f.policy].Status == inForce:
			complain("the claim of %s was refused, and policy %d is in force", description, f.policy.number)
		}
	}
}
