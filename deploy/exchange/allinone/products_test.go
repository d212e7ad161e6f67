package allinone

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// create makes a record, and returns its id.
func (m *member) create(path, body string) string {
	m.t.Helper()
	made := m.send("POST", path, body, nil)
	var record struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(made.body), &record); err != nil || made.status != http.StatusCreated {
		m.t.Fatalf("POST %s: %d %s (%v)", path, made.status, made.body, err)
	}
	return record.ID
}

// must makes a request and returns the body of the response, which must have a status.
func (m *member) must(status int, method, path, body string) string {
	m.t.Helper()
	got := m.send(method, path, body, nil)
	if got.status != status {
		m.t.Errorf("%s %s %.200s: %d %s, want %d", method, path, body, got.status, got.body, status)
	}
	return got.body
}

// TestProductsAreReadByAll: an organisation reads products and wordings of another one, sells by them and sees what
// happens to them. Their owner alone changes them.
func TestProductsAreReadByAll(t *testing.T) {
	s := runShared(t)
	acme, zenith := s.as("acme"), s.as("zenith")
	_, from := zenith.events("now")
	wording := acme.create("/policyWording", `{"name":"Standard"}`)
	product := `{"lineOfBusiness":1,"wordingId":"` + wording + `","currency":"EUR"}`
	id := acme.create("/product", product)
	acme.must(200, "PUT", "/product/"+id, strings.Replace(product, "EUR", "GBP", 1))
	for path, has := range map[string]string{
		"/product/" + id: id, "/product?currency=GBP": id, "/policyWording": wording,
		"/x/history/product/" + id: `"by":"acme","organisation":"acme"`,
	} {
		if got := zenith.must(200, "GET", path, ""); !strings.Contains(got, has) {
			t.Errorf("GET %s: %s lacks %s", path, got, has)
		}
	}
	if history := zenith.must(200, "GET", "/x/history/product/"+id, ""); strings.Contains(history, `"by":"ada"`) {
		t.Errorf("a person of another organisation is named: %s", history)
	}
	if history := acme.must(200, "GET", "/x/history/product/"+id, ""); strings.Count(history, `"by":"ada"`) != 2 {
		t.Errorf("the owner sees %s", history)
	}
	zenith.awaitEvent(from, `"source":"/product/`+id+`","type":"exchange.product.replaced"`)
	for _, body := range []string{product, `{}`, strings.Replace(product, "EUR", "ZZZ", 1)} {
		for _, match := range []string{"", `"1"`, "*"} {
			headers := map[string]string{}
			if match != "" {
				headers["If-Match"] = match
			}
			got := zenith.send("PUT", "/product/"+id, body, headers)
			if got.status != http.StatusForbidden || !strings.Contains(got.body, `"right":"owner"`) {
				t.Errorf("PUT of another's product with %s, If-Match %q: %d %s", body, match, got.status, got.body)
			}
		}
	}
	zenith.must(400, "PUT", "/product/"+id, `{"lineOfBusiness":`)
	zenith.must(403, "PUT", "/policyWording/"+wording, `{}`)
	own := zenith.create("/product", product) // of another's wording
	zenith.must(200, "PUT", "/product/"+own, product)
	acme.must(403, "PUT", "/product/"+own, product)
}
