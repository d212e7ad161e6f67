package load

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/wait"
)

// Compare compares what was acknowledged with what is stored: no record and no change is lost, nothing is there twice,
// and the rows of the bordereau are the sums of the receipts. It returns how many were lost and how many are there
// twice.
func (l *Load) Compare(t *testing.T) (lost, doubled int) {
	t.Helper()
	acknowledged := map[string]map[string]string{} // keys by resource and id
	marks := map[string]string{
		"personal": "idNumber", "policyWording": "name", "vehicle": "plateNumber", "claim": "description",
	}
	sums := map[string]int{}
	for _, c := range l.callers {
		for _, w := range c.done {
			if w.changes != nil {
				continue
			}
			if acknowledged[w.resource] == nil {
				acknowledged[w.resource] = map[string]string{}
			}
			acknowledged[w.resource][w.id] = w.key
			sums[fmt.Sprint(c.policy["policyNumber"])] += w.amount
		}
	}
	for _, resource := range []string{"personal", "policyWording", "vehicle", "claim", "receipt"} {
		stored := map[string]bool{}
		for _, r := range l.list(t, "/"+resource+"?limit=200") {
			id := fmt.Sprint(r["id"])
			if !l.isOurs(r, marks[resource]) {
				continue
			}
			stored[id] = true
			if acknowledged[resource][id] == "" {
				doubled++
				t.Errorf("%s %s was acknowledged under no key: %v", resource, id, r)
			}
		}
		for id, key := range acknowledged[resource] {
			if !stored[id] {
				lost++
				t.Errorf("%s %s, acknowledged for %s, is not listed", resource, id, key)
			}
		}
		t.Logf("%d records of %s", len(stored), resource)
	}
	for policy, sum := range sums {
		wait.Until(t, func() error { return l.rowIs(t, policy, sum) })
	}
	lostChanges, doubledChanges := l.compareChanges(t)
	return lost + lostChanges, doubled + doubledChanges
}

// compareChanges compares how often each record was changed with its history, and what the last change wrote with the
// record.
func (l *Load) compareChanges(t *testing.T) (lost, doubled int) {
	t.Helper()
	changes := map[string][]*write{} // by the path of the record
	for _, c := range l.callers {
		for _, w := range c.done {
			if w.changes != nil {
				path := "/" + w.resource + "/" + w.id
				changes[path] = append(changes[path], w)
			}
		}
	}
	for path, writes := range changes {
		// The first event is the creation. A replacement has no key, and may be made again.
		events, last := l.events(t, path)-1, writes[len(writes)-1]
		if events < len(writes) || events > len(writes) && last.key != "" {
			t.Errorf("%s has %d changes in its history, and %d were acknowledged", path, events, len(writes))
			lost, doubled = lost+max(0, len(writes)-events), doubled+max(0, events-len(writes))
		}
		var got record
		wait.Until(t, func() (err error) {
			got, err = l.read(t.Context(), path)
			return err
		})
		for member, want := range last.body {
			if is := fmt.Sprint(got[member]); member != "endorsementType" && is != fmt.Sprint(want) {
				t.Errorf("%s has the %s %s, and %v was acknowledged", path, member, is, want)
			}
		}
	}
	t.Logf("%d records were changed", len(changes))
	return lost, doubled
}

// read returns a record; of a claim that was settled, the last payment.
func (l *Load) read(ctx context.Context, path string) (got record, err error) {
	if _, err = l.get(ctx, path, &got); err != nil {
		return nil, err
	}
	if payments, settled := got["payments"].([]any); settled {
		got, _ = payments[len(payments)-1].(map[string]any)
	}
	return got, nil
}

// isOurs reports whether a caller has sent the record in its loop: by its mark, or for a receipt by its policy.
func (l *Load) isOurs(r record, mark string) bool {
	for _, c := range l.callers {
		if mark == "" && r["policyNumber"] == c.policy["policyNumber"] {
			return true
		}
		if text, _ := r[mark].(string); mark != "" && strings.HasPrefix(text, c.name+"-") {
			return true
		}
	}
	return false
}

// rowIs returns an error unless the policy has one row, with the sum.
func (l *Load) rowIs(t *testing.T, policy string, sum int) error {
	t.Helper()
	var ids []string
	for _, row := range l.list(t, "/premiumBordereau?limit=200") {
		if row["policyNumber"] == policy && row["period"] != nil {
			ids = append(ids, fmt.Sprint(row["grossWrittenPremium"]))
		}
	}
	if len(ids) != 1 || ids[0] != fmt.Sprint(sum) {
		return fmt.Errorf("policy %s has the rows %v, and receipts of %d", policy, ids, sum)
	}
	return nil
}

var nextPage = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

// events returns how many events the history of a record has.
func (l *Load) events(t *testing.T, path string) (all int) {
	t.Helper()
	for path = "/x/history" + path + "?limit=200"; path != ""; {
		var page struct{ History []record }
		var next string
		wait.Until(t, func() (err error) {
			next, err = l.get(t.Context(), path, &page)
			return err
		})
		all, path = all+len(page.History), next
	}
	return all
}

// list returns all records of a list, page by page. A page may be refused for a while (503) after a replica has ended
// without a word: its writes count as under way until then.
func (l *Load) list(t *testing.T, path string) (all []record) {
	t.Helper()
	for path != "" {
		var page []record
		var next string
		wait.Until(t, func() (err error) {
			next, err = l.get(t.Context(), path, &page)
			return err
		})
		all, path = append(all, page...), next
	}
	return all
}

// get reads what is at a path, and returns the path of the next page, empty if there is none.
func (l *Load) get(ctx context.Context, path string, into any) (next string, err error) {
	response, err := l.send(ctx, http.DefaultClient, http.MethodGet, path, nil, "")
	if err != nil {
		return "", err
	}
	if response.status != http.StatusOK {
		return "", fmt.Errorf("%s: status %d", path, response.status)
	}
	if err := response.decode(into); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if more := nextPage.FindStringSubmatch(response.header.Get("Link")); more != nil {
		next = more[1]
	}
	return next, nil
}
