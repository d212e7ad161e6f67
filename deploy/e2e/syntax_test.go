package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	c := caller(t)
	id := c.Create(t, "vehicle", vehicle()).Text("id")
	for name, body := range map[string]string{
		"empty":                         "",
		"white space":                   " \n\t",
		"null":                          "null",
		"a number":                      "7",
		"a string":                      `"vehicle"`,
		"an array":                      `[{"vin":"1"}]`,
		"no JSON":                       "vin=1",
		"single quotes":                 `{'vin':'1'}`,
		"a comment":                     `{"vin":"1"/* chassis */}`,
		"a trailing comma":              `{"vin":"1",}`,
		"NaN":                           `{"x-value":NaN}`,
		"a leading zero":                `{"x-value":01}`,
		"a control character":           "{\"vin\":\"a\nb\"}",
		"truncated in a member":         `{"vin":"1","plateNumber":"2`,
		"truncated behind a member":     `{"vin":"1"`,
		"truncated name":                `{"vi`,
		"duplicate member":              `{"vin":"1","vin":"1"}`,
		"duplicate in another spelling": `{"vin":"1","v\u0069n":"2"}`,
		"duplicate in an extension":     `{"x-more":{"a":1,"a":2}}`,
		"duplicate in a nested type":    `{"registration":{"a":1,"a":2}}`,
		"trailing object":               `{"vin":"1"}{}`,
		"trailing bracket":              `{"vin":"1"}]`,
		"trailing NUL":                  "{\"vin\":\"1\"}\x00",
		"byte order mark":               "\ufeff{\"vin\":\"1\"}",
		"UTF-16":                        "\xff\xfe{\x00}\x00",
		"no UTF-8 in a value":           "{\"vin\":\"\xff\xfe\"}",
		"no UTF-8 in a name":            "{\"x-\xc3\x28\":1}",
		"overlong UTF-8":                "{\"vin\":\"\xc0\xaf\"}",
		"half a surrogate pair":         `{"vin":"\ud83d"}`,
		"nested deeply":                 `{"x-deep":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
		"nested deeply, open":           strings.Repeat(`{"a":`, 100_000),
		"a million characters":          `{"vin":"` + strings.Repeat("v", 1_000_000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, a := range []trial.Answer{
				c.Post(t, "/vehicle", body),
				c.Put(t, "/vehicle/"+id, body),
				c.Post(t, "/product", body, "Idempotency-Key", fresh("key")),
			} {
				if p := a.Want(t, http.StatusBadRequest).Record(t); p.Text("detail") == "" {
					t.Errorf("the problem tells no detail: %s", a.Body)
				}
			}
		})
	}
}

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	c := caller(t)
	const limit = 1 << 20
	padded := func(size int) string { return `{"vin":"1"` + strings.Repeat(" ", size-len(`{"vin":"1"}`)) + "}" }
	c.Post(t, "/vehicle", padded(limit)).Want(t, http.StatusCreated)
	c.Post(t, "/vehicle", padded(limit+1)).Want(t, http.StatusRequestEntityTooLarge)
	// A body whose length is not declared is chunked.
	c.Post(t, "/vehicle", io.MultiReader(strings.NewReader(padded(limit)))).Want(t, http.StatusCreated)
	c.Post(t, "/vehicle", io.MultiReader(strings.NewReader(padded(limit+1)))).Want(t, http.StatusRequestEntityTooLarge)
	c.Put(t, "/vehicle/"+noID, padded(limit+1)).Want(t, http.StatusRequestEntityTooLarge)
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	c := caller(t)
	for contentType, status := range map[string]int{
		"application/json":                  http.StatusCreated,
		"application/json; charset=utf-8":   http.StatusCreated,
		"application/json;profile=\"a;b\"":  http.StatusCreated,
		"Application/JSON":                  http.StatusCreated,
		"application/vnd.acord+json":        http.StatusCreated,
		"":                                  http.StatusUnsupportedMediaType,
		"text/plain":                        http.StatusUnsupportedMediaType,
		"text/json":                         http.StatusUnsupportedMediaType,
		"application/xml":                   http.StatusUnsupportedMediaType,
		"application/jsonl":                 http.StatusUnsupportedMediaType,
		"application/x-www-form-urlencoded": http.StatusUnsupportedMediaType,
		"application/json, text/plain":      http.StatusUnsupportedMediaType,
		"json":                              http.StatusUnsupportedMediaType,
	} {
		if a := c.Post(t, "/vehicle", vehicle(), "Content-Type", contentType); a.Status != status {
			t.Errorf("%q: %d, not %d: %s", contentType, a.Status, status, a.Body)
		}
	}
}

func TestQueryParameters(t *testing.T) {
	t.Parallel()
	c := caller(t)
	for _, wrong := range []string{
		"/vehicle?colour=blue", "/vehicle?vin=1", "/vehicle?limit=0", "/vehicle?limit=201", "/vehicle?limit=-1", "/vehicle?limit=ten",
		"/vehicle?limit=1.5", "/vehicle?limit=", "/vehicle?limit=1&limit=2", "/vehicle?skip=-1", "/vehicle?skip=x", "/vehicle?cursor=x",
		"/vehicle?cursor=", "/vehicle?limit=%zz", "/vehicle?%ff=1", "/vehicle?LIMIT=5", "/personal?lastName=%ff",
		"/receipt?receiptDateFrom=2026-02-30", "/receipt?receiptDateTo=yesterday", "/receipt?receiptDate=2026-01-01",
		"/receipt?policyNumber=a&policyNumber=b", "/product?lineOfBusiness=motor", "/claim?status=open", "/motorCoverage?status=lapsed",
		"/premiumBordereau?period=2026-11", "/vehicle?limit=99999999999999999999", "/vehicle?a;b",
	} {
		if a := c.Get(t, wrong); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", wrong, a.Status, a.Body)
		}
	}
	all := c.Get(t, "/vehicle?limit=x&skip=y&colour=z").Want(t, http.StatusBadRequest).Record(t)
	if errors, _ := all["errors"].([]any); len(errors) != 3 {
		t.Errorf("three parameters are wrong, the problem tells %v", all["errors"])
	}
}

func TestSearches(t *testing.T) {
	t.Parallel()
	c := caller(t)
	name, number := fresh("Zoë"), fresh("P")
	party := c.Create(t, "personal", personal().With("lastName", name).With("firstName", "Émile").With("idNumber", number)).Text("id")
	for query, found := range map[string]bool{
		"idNumber=" + number:                           true,
		"idNumber=" + number + "&idType=passport":      true,
		"idNumber=" + number + "&idType=national%20id": false,
		"idNumber=" + number[:len(number)-1]:           false,
		"lastName=" + name:                             true,
		"lastName=" + strings.ToUpper(name):            true,
		"lastName=" + name[:len(name)-2]:               true,
		"lastName=" + name[1:]:                         false,
		"firstName=%C3%A9mi&lastName=" + name:          true,
		"firstName=%C3%A9mj&lastName=" + name:          false,
		"firstName=%25&lastName=" + name:               false,
		"lastName=" + name + "&idNumber=" + number[1:]: false,
	} {
		is := c.Get(t, "/personal?"+query).Want(t, http.StatusOK).Records(t)
		if (len(is) == 1 && is[0].Text("id") == party) != found || !found && len(is) > 0 {
			t.Errorf("%s finds %v", query, is)
		}
	}
	sold := c.Create(t, "product", product(t, c).With("lineOfBusiness", 64).With("currency", "XCD").With("productModel", "pay how you drive"))
	for query, found := range map[string]bool{
		"lineOfBusiness=64&currency=XCD&productModel=pay%20how%20you%20drive": true,
		"lineOfBusiness=64":               true,
		"lineOfBusiness=64&currency=GBP":  false,
		"currency=XCD":                    true,
		"currency=XCD&productModel=other": false,
	} {
		var ids []string
		for r := range list(t, c, "/product?"+query) {
			ids = append(ids, r.Text("id"))
		}
		if (len(ids) == 1 && ids[0] == sold.Text("id")) != found {
			t.Errorf("%s finds %v", query, ids)
		}
	}
}
