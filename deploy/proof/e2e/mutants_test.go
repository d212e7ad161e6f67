package e2e_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/conformance"
)

// mutant is an exchange that breaks one rule: a proxy in front of an exchange that conforms.
type mutant struct {
	what string
	// request changes a request, and respond changes the response and returns its body. Either may be nil.
	request func(*http.Request)
	respond func(response *http.Response, body string) string
	// area and rule name the rule that must fail.
	area, rule string
}

// when returns a change of the responses with a status to requests with a method and a path.
func when(
	method, path string, status int, change func(*http.Response, string) string,
) func(*http.Response, string) string {
	pattern := regexp.MustCompile(path)
	return func(response *http.Response, body string) string {
		if (method == "" || response.Request.Method == method) && (status == 0 || response.StatusCode == status) &&
			pattern.MatchString(response.Request.URL.Path) {
			return change(response, body)
		}
		return body
	}
}

// status returns a change of the status of a response.
func status(to int) func(*http.Response, string) string {
	return func(response *http.Response, body string) string {
		response.StatusCode = to
		if to < http.StatusBadRequest {
			response.Header.Set("Content-Type", "application/json")
		}
		return body
	}
}

// text returns a change of the text of a body.
func text(pattern, to string) func(*http.Response, string) string {
	from := regexp.MustCompile(pattern)
	return func(_ *http.Response, body string) string { return from.ReplaceAllString(body, to) }
}

// header returns a change that removes a header of a response.
func header(name string) func(*http.Response, string) string {
	return func(response *http.Response, body string) string {
		response.Header.Del(name)
		return body
	}
}

// without returns a change that removes a parameter from the query of a request.
func without(parameter string) func(*http.Request) {
	return func(r *http.Request) {
		query := r.URL.Query()
		query.Del(parameter)
		r.URL.RawQuery = query.Encode()
	}
}

// drop returns a change that removes a header of a request.
func drop(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }

var mutants = []mutant{
	{what: "cancels what is cancelled", respond: when("POST", ":cancel$", 409, status(200)), area: "transitions",
		rule: "petCoverage cancelled :cancel is 409"},
	{what: "endorses a travel policy", respond: when("POST", "/travelCoverage/.*:endorse$", 409, status(200)),
		area: "transitions", rule: "travelCoverage in force :endorse addition is 409"},
	{what: "reports extended as in force", respond: when("", "Coverage", 200, text(`"status":"extended"`,
		`"status":"in force"`)), area: "transitions", rule: "motorCoverage extended: reads as extended"},
	{what: "reopens an open claim", respond: when("POST", ":reopen$", 409, status(200)), area: "transitions",
		rule: "claim open reopen is 409"},
	{what: "spells in force otherwise", respond: when("", "Coverage", 0, text(`"in force"`, `"active"`)),
		area: "records", rule: "POST /petCoverage: policyNumber is issued, status is in force"},
	{what: "loses extensions", respond: when("GET", "/debtor/", 200, text(`,"x-[^"]*":\{.*\}\}$`, "}")),
		area: "records", rule: "POST /debtor: members that the interface does not name are kept byte for byte"},
	{what: "rounds extensions", respond: when("", "/debtor", 0, text(`:1\.10,`, ":1.1,")), area: "records",
		rule: "POST /debtor: members that the interface does not name are kept byte for byte"},
	{what: "spells IndemnityPeriod otherwise",
		respond: when("", "/businessInterruptionCoverage", 0,
			text("IndemnityPeriod", "indemnityPeriod")), area: "records", rule: "businessInterruptionCoverage: " +
			"IndemnityPeriod: int comes back as sent"},
	{what: "spells GrosslLossReserve otherwise", respond: when("", "/claimsBordereau", 0, text("GrosslLossReserve",
		"GrossLossReserve")), area: "records", rule: "claimsBordereau: GrosslLossReserve: float comes back as sent"},
	{what: "writes numbers as text", respond: when("", "/receipt", 0, text(`"paymentAmount":(\d+)`,
		`"paymentAmount":"$1"`)), area: "records", rule: "receipt: paymentAmount: int comes back as sent"},
	{what: "writes ids in upper case", respond: when("", "/vehicle$", 201, func(_ *http.Response, body string) string {
		return regexp.MustCompile(`"id":"[^"]*"`).ReplaceAllStringFunc(body, func(id string) string {
			return `"id"` + strings.ToUpper(id[4:])
		})
	}), area: "records", rule: "POST /vehicle: 201 with a new id, a UUID in lower case"},
	{what: "returns a local time", respond: when("", "/claimsBordereau", 0, text(`("fnol":"[^"]*)Z"`, `${1}+00:00"`)),
		area: "records", rule: "a DateTime is returned in UTC, whatever its offset"},
	{what: "returns 200 for a create", respond: when("POST", "/pet$", 201, status(200)), area: "records",
		rule: "POST /pet: 201 with a new id, a UUID in lower case"},
	{what: "returns premium under the name it was sent by",
		respond: when("", "/motorCoverage", 0,
			text("grossWrittenPremium", "premium")), area: "records", rule: "POST /motorCoverage: premium comes " +
			"back as grossWrittenPremium alone"},
	{what: "drops a filter", request: without("policyNumber"), area: "lists",
		rule: "GET /claim?policyNumber= returns the records that have it"},
	{what: "ignores the end of a range", request: without("receiptDateTo"), area: "lists",
		rule: "GET /receipt?receiptDateFrom=&receiptDateTo=: a range, both ends inclusive"},
	{what: "ignores what it does not know", request: without("colour"), area: "lists",
		rule: "GET /vehicle: an unknown or malformed parameter is 400"},
	{what: "does not link pages", respond: header("Link"), area: "lists",
		rule: "the links go through the whole list, each record once, in order"},
	{what: "lists 64 lines", respond: when("", "/productCatalog", 0, text(`,\{"code":65[^}]*\}`, "")), area: "lists",
		rule: "GET /productCatalog: the 65 lines of business, codes 1 to 65"},
	{what: "corrects a line", respond: when("", "/productCatalog", 0, text("ommissions", "omissions")), area: "lists",
		rule: "GET /productCatalog: the 65 lines of business, codes 1 to 65"},
	{what: "words a problem otherwise", respond: text("invalid indemnity period", "indemnity period invalid"),
		area: "errors", rule: "POST /businessInterruptionCoverage row 3: IndemnityPeriod is 0 is 400 invalid " +
			"indemnity period"},
	{what: "returns 400 for a missing record",
		respond: when("POST", "/tradeCreditCoverage$", 404, func(response *http.Response, body string) string {
			response.StatusCode = 400
			return strings.Replace(body, `"status":404`, `"status":400`, 1)
		}), area: "errors", rule: "POST /tradeCreditCoverage row 1: debtorId names nothing is 404 debtor not found"},
	{what: "writes problems as JSON", respond: func(response *http.Response, body string) string {
		response.Header.Set("Content-Type",
			strings.Replace(response.Header.Get("Content-Type"), "problem+json", "json", 1))
		return body
	}, area: "errors", rule: "POST /petCoverage row 1: petId names nothing is 404 pet not found"},
	{what: "does not say who exists", respond: text(`"existingId"`, `"existing"`), area: "errors",
		rule: "POST /personal row 3: idType and idNumber exist is 409"},
	{what: "replays as a create", respond: when("POST", "^/[A-Za-z]+$", 200, status(201)), area: "idempotency",
		rule: "POST /vehicle: the same key and request again is 200 with the record, and says that it is a replay"},
	{what: "ignores keys", request: drop("Idempotency-Key"), area: "idempotency",
		rule: "POST /claim/{id}:settle: one key from 20 callers at once does it once"},
	{what: "does not mark replays", respond: header("Idempotency-Replayed"), area: "idempotency",
		rule: "POST /receipt/{id}:refund: the same key and request again is 200 with the record, and says that it " +
			"is a replay"},
	{what: "takes a key with another request", respond: when("POST", "^/product$", 422, status(200)),
		area: "idempotency", rule: "POST /product: the same key with another request is 422"},
	{what: "ignores If-Match", request: drop("If-Match"), area: "versions",
		rule: "PUT /vehicle/{id}: a stale If-Match is 412, the current one is not"},
	{what: "lacks a value", respond: func(response *http.Response, body string) string {
		if response.StatusCode == http.StatusCreated && strings.Contains(body, `"propertyType":"Zoo"`) {
			response.StatusCode = http.StatusBadRequest
		}
		return body
	}, area: "values", rule: "property.propertyType: each of the 97 values of PropertyType"},
	{what: "stores the corrected spelling", respond: text("volcanic erruption", "volcanic eruption"), area: "values",
		rule: "motorCoverage.perils: the corrected spellings of MotorPeril are stored as published"},
	{what: "takes any value", respond: when("POST", "/debtor$", 400, status(201)), area: "values",
		rule: "debtor.legalForm: a value that is not in LegalEntity is 400"},
	{what: "loses warnings", respond: text(`,"warnings":\[[^\]]*\]`, ""), area: "claims",
		rule: "a loss within the waitingPeriod of petCoverage, inceptionDate to lossDate, is a warning"},
	{what: "admits a loss at expiry", respond: when("POST", "/claim$", 409, status(201)), area: "claims",
		rule: "a claim against cyberLiabilityCoverage, lossDate at expiry: Conflict"},
	{what: "covers everything", respond: when("POST", "/claim$", 422, status(201)), area: "claims",
		rule: "a claim against tradeCreditCoverage: each of its perils is a lossCause, any other is 422"},
	{what: "refunds twice", respond: when("POST", ":refund$", 409, status(201)), area: "receipts",
		rule: "a second :refund is 409"},
	{what: "changes receipts", respond: when("PUT", "/receipt/", 409, status(200)), area: "receipts",
		rule: "PUT of the same content returns the receipt, of another is 409"},
	{what: "adds up wrong", respond: when("", "/premiumBordereau", 0,
		text(`"grossWrittenPremium":1500`,
			`"grossWrittenPremium":6500`)), area: "receipts", rule: "receipts of a policy and a type add up to one " +
		"row of the premium bordereau, less refunds"},
	{what: "lets in who has no token", request: func(r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			r.Header.Set("Authorization", "Bearer "+tried.DeveloperToken)
		}
	}, area: "access", rule: "GET /vehicle/{id} without a token is 401"},
	{what: "lets readers write", request: func(r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+tried.DeveloperToken {
			r.Header.Set("Authorization", "Bearer "+tried.AdminToken)
		}
	}, area: "access", rule: "POST /claim/{id}:settle with the other scope alone is 401"},
	{what: "challenges nobody", respond: header("WWW-Authenticate"), area: "access",
		rule: "PUT /vehicle/{id} without a token is 401"},
	{what: "does not say what is allowed", respond: header("Allow"), area: "access",
		rule: "DELETE /vehicle is 405 with Allow: GET, POST"},
	{what: "takes any media type", request: func(r *http.Request) {
		if r.ContentLength != 0 {
			r.Header.Set("Content-Type", "application/json")
		}
	}, area: "syntax", rule: "a body of the Content-Type text/plain is Unsupported Media Type"},
	{what: "takes a member twice", respond: when("POST", "/vehicle$", 400, status(201)), area: "syntax",
		rule: "a body that is a member twice is 400"},
	{what: "compares tags weakly", request: func(r *http.Request) {
		if tag := r.Header.Get("If-Match"); tag != "" {
			r.Header.Set("If-Match", strings.TrimPrefix(tag, "W/"))
		}
	}, area: "versions", rule: "If-Match compares strongly: a weak tag is 400, as is what is no tag"},
	{what: "erases a person", respond: when("PUT", "/personal/", 400, status(200)), area: "corrections",
		rule: "PUT /personal/{id} with nothing is 400, and changes nothing"},
	{what: "renews by days", respond: when("POST", ":renew$", 201,
		text(`"expiryDate":"2028-03-01`,
			`"expiryDate":"2028-02-29`)), area: "corrections", rule: ":renew of a term of a year keeps its length " +
		"by the calendar"},
	{what: "takes strings of any length", respond: when("POST", "/vehicle$", 400, status(201)), area: "limits",
		rule: "a body holds strings of up to 64 KiB, more is 400 at its pointer"},
	{what: "skips as far as it is asked to", respond: when("GET", "/vehicle$", 400, status(200)), area: "limits",
		rule: "skip beyond 100,000 is 400, and the problem names the cursor"},
	{what: "counts in 64 bits", respond: when("", "/premiumBordereau", 0, text("18446744073709551614", "-2")),
		area: "receipts", rule: "sums are exact beyond 64 bits"},
	{what: "forgets its history", respond: when("", "^/x/history/", 200, text(`"event":"created"`, `"event":""`)),
		area: "beyond", rule: "GET /x/history/claim/{id} lists the creation"},
	{what: "an event is called otherwise", respond: when("GET", "^/x/events$", 200,
		text(`motorCoverage\.endorsed`, "motorCoverage.replaced")),
		area: "beyond", rule: "GET /x/events has every version of a record as one event, in order"},
	{what: "any cursor is taken", request: without("after"),
		area: "beyond",
		rule: "GET /x/events refuses cursors that it has not given, and goes on from those that it has"},
}

// TestMutantsAreNoticed tries each mutant with the rule that it breaks. The rule must fail, and must pass through a
// proxy that changes nothing.
func TestMutantsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		t.Run(m.what, func(t *testing.T) {
			for _, c := range []struct {
				proxy mutant
				want  conformance.Outcome
			}{{mutant{}, conformance.Passed}, {m, conformance.Failed}} {
				results := through(t, c.proxy, m.area, m.rule)
				if len(results) != 1 || results[0].Outcome != c.want {
					t.Errorf("%q has %+v, not %s", m.rule, results, c.want)
				}
			}
		})
	}
}

// through tries one rule on the exchange behind a proxy.
func through(t *testing.T, m mutant, area, rule string) []conformance.Result {
	t.Helper()
	target, err := url.Parse(whole.Base)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(m.proxy(target))
	defer server.Close()
	o := tried
	if m.request != nil || m.respond != nil {
		o.Patience = time.Second // a mutant never does what the rule waits for
	}
	o.Transport = nil // the checks of every response would notice most mutants by themselves
	o.Base, o.Only, o.Matching = server.URL, []string{area}, regexp.MustCompile("^"+regexp.QuoteMeta(rule)+"$")
	return conformance.Run(t.Context(), o).Results
}

func (m mutant) proxy(target *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("User-Agent", "mutant")
			if m.request != nil {
				m.request(r.Out)
			}
		},
		ModifyResponse: func(response *http.Response) error {
			if m.respond == nil || response.Request.Method == http.MethodHead {
				return nil
			}
			body, err := io.ReadAll(response.Body)
			if err != nil {
				return err
			}
			changed := []byte(m.respond(response, string(body)))
			response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
			response.Header.Set("Content-Length", strconv.Itoa(len(changed)))
			return nil
		},
	}
}
