package simulation

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/services/claims"
	"insurance.example/exchange/services/composite"
	"insurance.example/exchange/services/coverage"
	"insurance.example/exchange/services/premium"
)

// sharingKind returns the services that keep access lists, and the one that changes them. Each service has a store of
// its own.
func sharingKind() kind {
	const claim = "--org-claim=org"
	return kind{
		services: []replicas{
			of(2, coverage.Service, claim), of(2, claims.Service, claim),
			of(2, premium.Service, claim, "--bordereau-period=month"), of(2, composite.Service, claim),
		},
		work:  (*caller).workOnSharing,
		stubs: map[string]http.Handler{"parties": stubs["parties"]}, finish: (*caller).finishSharing,
		shared: true, apart: time.Minute,
		slow: []string{"", "", "accessList ", "accessStamp ", "claim insert", "policy replace", "calls "},
	}
}

const (
	// sharer owns all policies.
	sharer = "acme"
	// mostShared is how many policies there are at most. Two are shared by callers that know nothing of each other.
	mostShared = 2
)

// sharedWith are the organisations with which policies may be shared. The last one never takes part.
var sharedWith = []string{"zenith", "orion", "stranger"}

// sharedPolicy is a policy, what is under it, and the changes of its access list.
type sharedPolicy struct {
	number           int
	id, policyNumber string
	// records are the policy and what is under it.
	records []sharedRecord
	// changes are what was asked of the access list, in order.
	changes []*listChange
}

// sharedRecord is a record under a policy, and when a response said that it was made.
type sharedRecord struct {
	service, path, id string
	made              time.Time
}

// listChange is a change of an access list. It has begun, and has ended once its caller asks for it no longer. It was
// made everywhere if the response said so. Until then it may have been made in part.
type listChange struct {
	gives        rights
	begun, ended time.Time
	made         bool
}

// rights are what each organisation may do.
type rights map[string][]string

func (r rights) has(who, right string) bool { return slices.Contains(r[who], right) }

// body returns the body of the request for an access list that gives rights.
func (r rights) body() string {
	var participants []string
	for _, who := range sharedWith {
		if has := r[who]; len(has) > 0 {
			participants = append(participants, fmt.Sprintf(`{"organisation":%q,"rights":["%s"]}`, who,
				strings.Join(has, `","`)))
		}
	}
	return `{"participants":[` + strings.Join(participants, ",") + `]}`
}

// inForce returns the changes that may have been in force since an instant: all but those that had ended before another
// one began which was made before the instant.
func (p *sharedPolicy) inForce(since time.Time) []*listChange {
	return slices.DeleteFunc(slices.Clone(p.changes), func(c *listChange) bool {
		return !c.ended.IsZero() && slices.ContainsFunc(p.changes, func(d *listChange) bool {
			return d.made && !d.begun.Before(c.ended) && !d.ended.After(since) && d != c
		})
	})
}

// may and must report whether an organisation may have had a right since an instant, and whether it had it all the
// time.
func (p *sharedPolicy) may(who, right string, since time.Time) bool {
	return who == sharer || slices.ContainsFunc(p.inForce(since), func(c *listChange) bool {
		return c.gives.has(who, right)
	})
}

func (p *sharedPolicy) must(who, right string, since time.Time) bool {
	return who == sharer || !slices.ContainsFunc(p.inForce(since), func(c *listChange) bool {
		return !c.gives.has(who, right)
	})
}

// found reports whether who sees the policy finds a record: it was there before a change of the list that was made, so
// that it has its stamps.
func (p *sharedPolicy) found(r sharedRecord, since time.Time) bool {
	return slices.ContainsFunc(p.inForce(since), func(c *listChange) bool {
		return c.made && c.ended.Before(since) && r.made.Before(c.begun)
	})
}

// workOnSharing shares policies, writes what is under them, and reads it, for all organisations.
func (c *caller) workOnSharing(ctx context.Context, number int) {
	for range 6 + c.random.IntN(8) {
		pause(ctx, time.Duration(c.random.Int64N(int64(c.troubled/8))))
		if len(c.book.shared) < mostShared && (len(c.book.shared) == 0 || c.random.IntN(4) == 0) {
			c.issueShared(ctx)
			continue
		}
		if len(c.book.shared) == 0 {
			continue
		}
		p := c.book.shared[c.random.IntN(len(c.book.shared))]
		who := append(sharedWith, sharer)[c.random.IntN(len(sharedWith)+1)]
		switch step := c.random.IntN(8); {
		case step < 3 && (number < 2 || step == 0):
			c.changeList(ctx, p, c.anyRights(), 1+c.random.IntN(4))
			c.readShared(ctx, p, sharedWith[c.random.IntN(len(sharedWith))])
		case step == 3:
			c.write(ctx, p, who, "claims", "/claim", fmt.Sprintf(
				`{"policyNumber":%q,"lossDate":"2026-03-01T00:00:00Z","lossCause":"Breach of privacy",
				"claimType":"other"}`, p.policyNumber))
		case step == 4:
			c.write(ctx, p, who, "premium", "/receipt", fmt.Sprintf(
				`{"policyNumber":%q,"receiptType":"new policy","paymentAmount":1}`, p.policyNumber))
		default:
			c.readShared(ctx, p, who)
		}
	}
}

// ask sends a request for an organisation, and returns no response if it is an outage.
func (c *caller) ask(
	ctx context.Context, who, service, what, method, path, body string,
) (got answer, heard bool) {
	got, heard = c.reach(service, c.random).send(forOrganisation(ctx, who), what+" as "+who, method, path, body)
	return got, heard && got.status != http.StatusServiceUnavailable
}

// issueShared issues a policy, which nobody sees but its owner.
func (c *caller) issueShared(ctx context.Context) {
	business, heard := c.ask(ctx, sharer, "coverage", "POST business", http.MethodPost, "/business",
		`{"businessSector":"x"}`)
	if !heard {
		return
	}
	got, heard := c.ask(ctx, sharer, "coverage", "POST policy", http.MethodPost, policyPath, fmt.Sprintf(
		`{"policyholderId":%q,"businessId":%q,"indemnityLimitPolicy":1,"scope":["Breach of privacy"],%s}`, holder,
		business.member("id"), term))
	if !heard {
		return
	}
	if got.status != http.StatusCreated {
		c.complain("POST policy: %d %s", got.status, got.body)
		return
	}
	p := &sharedPolicy{number: len(c.book.shared) + 1, id: got.member("id"), policyNumber: got.member("policyNumber")}
	p.records = []sharedRecord{{"coverage", policyPath, p.id, time.Now()}}
	p.changes = []*listChange{{begun: time.Now(), ended: time.Now(), made: true}}
	c.book.shared = append(c.book.shared, p)
}

// anyRights returns the rights of a random list.
func (c *caller) anyRights() rights {
	all := rights{}
	for _, who := range sharedWith[:2] {
		if c.random.IntN(5) < 2 {
			continue
		}
		all[who] = []string{"read"}
		for _, right := range []string{"claims", "premium"} {
			if c.random.IntN(2) == 0 {
				all[who] = append(all[who], right)
			}
		}
	}
	return all
}

// changeList asks for a change of an access list so many times, or until it was made. If some organisation sees the
// policy no longer, it looks at once.
func (c *caller) changeList(ctx context.Context, p *sharedPolicy, gives rights, times int) (made bool) {
	change := &listChange{gives: gives, begun: time.Now()}
	p.changes = append(p.changes, change)
	for range times {
		got, heard := c.ask(ctx, sharer, "composite", fmt.Sprintf("PUT list %d", p.number), http.MethodPut,
			"/x/access/"+p.policyNumber, gives.body())
		if heard {
			if made = got.status == http.StatusOK; !made {
				c.complain("PUT of the access list of policy %d: %d %s", p.number, got.status, got.body)
			}
			break
		}
		pause(ctx, time.Second/4+time.Duration(c.random.Int64N(int64(time.Second))))
	}
	change.ended, change.made = time.Now(), made
	for _, who := range sharedWith {
		if made && !gives.has(who, "read") {
			c.readShared(ctx, p, who)
		}
	}
	return made
}

// write makes a record under a policy for an organisation, which needs a right for it.
func (c *caller) write(ctx context.Context, p *sharedPolicy, who, service, path, body string) {
	since := time.Now()
	got, heard := c.ask(ctx, who, service, fmt.Sprintf("POST %s %d", path[1:], p.number), http.MethodPost, path, body)
	switch {
	case !heard:
	case got.status == http.StatusCreated:
		if !p.may(who, service, since) {
			c.complain("%s has made a record of %s under policy %d without the right", who, service, p.number)
		}
		p.records = append(p.records, sharedRecord{service, path, got.member("id"), time.Now()})
	case got.status >= 500 || p.must(who, "read", since) && p.must(who, service, since):
		c.complain("%s makes no record of %s under policy %d: %d %s", who, service, p.number, got.status, got.body)
	}
}

// looks returns the paths by which a record of a policy can be seen, one for each way to look.
func (r sharedRecord) looks(p *sharedPolicy) []string {
	by := "?policyNumber=" + p.policyNumber
	return []string{
		r.path + "/" + r.id, r.path + by, r.path + "?limit=100", "/x/history" + r.path + "/" + r.id,
		"/x/search" + r.path + by,
	}
}

// readShared looks at records of a policy for an organisation, each in a random way and at a random replica. Nobody may
// see what no list shows since the request was sent, and each sees what all lists have shown since.
func (c *caller) readShared(ctx context.Context, p *sharedPolicy, who string) {
	for range 1 + c.random.IntN(3) {
		r := p.records[c.random.IntN(len(p.records))]
		looks := r.looks(p)
		since, way := time.Now(), c.random.IntN(len(looks))
		seen, heard := c.sees(ctx, p, who, r, looks[way])
		if heard && seen && !p.may(who, "read", since) {
			c.complain("%s sees %s under policy %d by %s", who, r.path, p.number, looks[way])
		}
		if heard && !seen && who != sharer && p.must(who, "read", since) && p.found(r, since) {
			c.complain("%s does not see %s under policy %d by %s", who, r.path, p.number, looks[way])
		}
	}
}

// sees reports whether an organisation sees something of a record of a policy at a path.
func (c *caller) sees(
	ctx context.Context, p *sharedPolicy, who string, r sharedRecord, path string,
) (seen, heard bool) {
	what := "GET " + strings.NewReplacer(r.id, "ID", p.policyNumber, "NUMBER").Replace(path)
	if r.path == "/receipt" && strings.HasPrefix(path, "/x/search") {
		path = strings.TrimPrefix(path, "/x/search") // there is no search for receipts
	}
	got, heard := c.ask(ctx, who, r.service, what, http.MethodGet, path, "")
	if heard && got.status != http.StatusOK && got.status != http.StatusNotFound {
		c.complain("%s: %d %s", what, got.status, got.body)
	}
	return got.status == http.StatusOK && (!strings.Contains(path, "?") || strings.Contains(got.body, p.policyNumber)),
		heard
}
