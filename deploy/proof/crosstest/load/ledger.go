package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Compare compares what was acknowledged with what is stored: nothing is lost, nothing is there twice, and the rows
// of the bordereau are the sums of the receipts. It returns how many records were lost and how many are there twice.
func (l *Load) Compare(t *testing.T) (lost, doubled int) {
	t.Helper()
	acknowledged := map[string]map[string]string{} // keys by resource and id
	marks := map[string]string{
		"personal": "idNumber", "policyWording": "name", "vehicle": "plateNumber", "claim": "description",
	}
	sums := map[string]int{}
	for _, c := range l.callers {
		for _, w := range c.done {
			if acknowledged[w.resource] == nil {
				acknowledged[w.resource] = map[string]string{}
			}
			acknowledged[w.resource][w.id] = w.key
			if amount, ok := w.body["paymentAmount"].(int); ok {
				sums[fmt.Sprint(c.policy["policyNumber"])] += amount
			}
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
		Eventually(t, func() error { return l.rowIs(t, policy, sum) })
	}
	return lost, doubled
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
	var found []string
	for _, row := range l.list(t, "/premiumBordereau?limit=200") {
		if row["policyNumber"] == policy && row["period"] != nil {
			found = append(found, fmt.Sprint(row["grossWrittenPremium"]))
		}
	}
	if len(found) != 1 || found[0] != fmt.Sprint(sum) {
		return fmt.Errorf("policy %s has the rows %v, and receipts of %d", policy, found, sum)
	}
	return nil
}

var nextPage = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

// list returns all records of a list, page by page. A page may be refused for a while (503) after a replica has ended
// without a word: its writes count as under way until then.
func (l *Load) list(t *testing.T, path string) (all []record) {
	t.Helper()
	for path != "" {
		var next string
		Eventually(t, func() error {
			page, more, err := l.page(t.Context(), path)
			if err == nil {
				all, next = append(all, page...), more
			}
			return err
		})
		path = next
	}
	return all
}

// page returns a page of a list and the path of the next one, empty if there is none.
func (l *Load) page(ctx context.Context, path string) (page []record, next string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base+path, nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Authorization", "Bearer "+l.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("%s: status %d", path, response.StatusCode)
	}
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&page); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	if more := nextPage.FindStringSubmatch(response.Header.Get("Link")); more != nil {
		next = more[1]
	}
	return page, next, nil
}
