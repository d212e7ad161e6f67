package products_test

import (
	"encoding/json"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/products"
)

func start(t *testing.T) *servicetest.Service {
	t.Helper()
	return servicetest.Start(t, products.Service().Definition(), servicetest.Options{})
}

// product returns the body of a product of a wording.
func product(lineOfBusiness, wording, currency string) string {
	return `{"lineOfBusiness":` + lineOfBusiness + `,"wordingId":"` + wording + `","currency":"` + currency +
		`","policyFee":12.340}`
}

func TestTheRowsOfProductInTheirOrder(t *testing.T) {
	s := start(t)
	wording := s.Create("policyWording", `{"name":"Standard","version":"2"}`)
	for _, c := range []struct {
		body, problem string
		status        int
	}{
		{`{}`, "required-fields-missing", 400},
		{product("0", "no-id", "XXX"), "unknown-product-catalog-code", 400},
		{product("66", "no-id", "XXX"), "unknown-product-catalog-code", 400},
		{`{"lineOfBusiness":1}`, "required-fields-missing", 400},
		{product("1", "no-id", "XXX"), "policy-wording-not-found", 404},
		{product("65", wording, "ZZZ"), "unsupported-currency", 400},
		{`{"lineOfBusiness":65,"wordingId":"` + wording + `"}`, "required-fields-missing", 400},
	} {
		if a := s.Must(c.status, "POST", "/product", c.body); a.Member("type") != "/problems/"+c.problem {
			t.Errorf("%s: %s, want %s", c.body, a.Text, c.problem)
		}
	}
	a := s.Must(201, "POST", "/product", product("65", wording, "EUR"))
	if a.Member("wording") != wording || !strings.Contains(a.Text, `"policyFee":12.340`) || a.Body["wordingId"] != nil {
		t.Errorf("created %s", a.Text)
	}
}

func TestAReplacementPassesTheRowsAgain(t *testing.T) {
	s := start(t)
	wording := s.Create("policyWording", `{}`)
	path := "/product/" + s.Create("product", product("1", wording, "EUR"))
	s.Must(400, "PUT", path, `{}`)
	s.Must(404, "PUT", path, product("1", path[len("/product/"):], "EUR"))
	if a := s.Must(200, "PUT", path, product("2", wording, "GBP")); a.Member("currency") != "GBP" {
		t.Errorf("replaced by %s", a.Text)
	}
}

func TestAReplayOfAProduct(t *testing.T) {
	s := start(t)
	body := product("1", s.Create("policyWording", `{}`), "EUR")
	first := s.Must(201, "POST", "/product", body, "Idempotency-Key", "k")
	if again := s.Must(200, "POST", "/product", body, "Idempotency-Key",
		"k"); again.Member("id") != first.Member("id") {
		t.Errorf("a replay made another product: %s", again.Text)
	}
	// The listed checks come before the replay.
	s.Must(400, "POST", "/product", strings.Replace(body, "EUR", "ZZZ", 1), "Idempotency-Key", "k")
	s.Must(422, "POST", "/product", strings.Replace(body, "EUR", "GBP", 1), "Idempotency-Key", "k")
}

func TestProductsAreFound(t *testing.T) {
	s := start(t)
	wording := s.Create("policyWording", `{}`)
	s.Create("product", product("1", wording, "EUR"))
	s.Create("product", product("1", wording, "GBP"))
	s.Create("product", product("2", wording, "EUR"))
	for query, found := range map[string]int{
		"": 3, "?lineOfBusiness=1": 2, "?currency=EUR": 2, "?lineOfBusiness=1&currency=GBP": 1, "?lineOfBusiness=3": 0,
		"?productModel=x": 0,
	} {
		if a := s.Must(200, "GET", "/product"+query, ""); strings.Count(a.Text, `"wording"`) != found {
			t.Errorf("%q: %s, want %d", query, a.Text, found)
		}
	}
	s.Must(400, "GET", "/product?lineOfBusiness=motor", "")
}

func TestTheCatalogueIsWholeAndReadOnly(t *testing.T) {
	s := start(t)
	var entries []struct {
		Code        int
		Description string
	}
	for _, path := range []string{"/productCatalog", "/productCatalog?limit=5"} {
		if err := json.Unmarshal([]byte(s.Must(200, "GET", path, "").Text), &entries); err != nil {
			t.Fatal(err)
		}
		if len(entries) != 65 || entries[0].Code != 1 || entries[64].Code != 65 || entries[64].Description == "" {
			t.Errorf("%s has %d entries", path, len(entries))
		}
	}
	s.Must(405, "POST", "/productCatalog", `{}`)
	s.Must(404, "GET", "/productCatalog/1", "")
	s.Must(400, "GET", "/productCatalog?code=1", "")
}
