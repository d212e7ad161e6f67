package book_test

import (
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/book"
)

// TestParametersOfTheBook sends what no list, summary, triangle or ageing takes: each is refused with what would serve.
func TestParametersOfTheBook(t *testing.T) {
	s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{})
	for path, says := range map[string]string{
		"policies?colour=red":                         "is not known here",
		"policies?claimNumber=C":                      "is not known here",
		"policies?statusFrom=a":                       "is not known here",
		"policies?endedEmpty=true":                    "is not known here",
		"policies?ended=yes":                          "must be true or false",
		"policies?written=1e3":                        "must be a number",
		"policies?writtenFrom=":                       "must have 1 to 200 bytes",
		"policies?status=" + strings.Repeat("x", 201): "must have 1 to 200 bytes",
		"policies?expiryDateTo=2026-02-30":            "must be a day",
		"policies?expiryDateTo=2026-02-01T00:00:00Z":  "must be a day",
		"policies?insuredBegins=a&insuredBegins=b":    "more than once",
		"policies?" + strings.Repeat("status=x&", 21): "20 times at most",
		"policies?sort=status":                        "must be one of inceptionDate, expiryDate",
		"policies?sort=written&sort=open":             "more than once",
		"policies?limit=201":                          "from 1 to 200",
		"policies?cursor=x":                           "next of a page",
		"policies?cursor=bnVsbA":                      "next of a page",
		"policies?from=2026":                          "must be a month",
		"policies?to=2026-13":                         "must be a month",
		"movements?from=2026-01":                      "is not known here",
		"late?%zz":                                    "",
		"late?colour=red":                             "is not known here",
		"summary?by=line,line":                        "one or two of",
		"summary?by=line,year,month":                  "one or two of",
		"summary?by=":                                 "one or two of",
		"summary?by=colour":                           "one or two of",
		"summary?month=2026-01":                       "is not known here",
		"summary?from=x":                              "must be a month",
		"summary?line=a&line=b":                       "more than once",
		"triangle?measure=reserve":                    "incurred or paid",
		"triangle?by=line":                            "must be year",
		"triangle?development=week":                   "month, quarter or year",
		"triangle?cumulative=1":                       "true or false",
		"triangle?colour=red":                         "is not known here",
		"aging?of=receipts":                           "premium or claims",
		"aging?by=line":                               "is not known here",
		"aging?whose=mine":                            "own, all or reported",
		"triangle?whose=mine":                         "own, all or reported",
		"summary?whose=mine":                          "own, all or reported",
		"movements?whose=mine":                        "own, all or reported",
		"movements?whose=reported&contract=C":         "where organisations share the exchange",
		"summary?owner=acme":                          "goes with whose=reported",
	} {
		got := s.Must(http.StatusBadRequest, http.MethodGet, "/x/book/"+path, "")
		if got.Member("type") != "/problems/bad-parameter" || !strings.Contains(got.Text, says) {
			t.Errorf("%s: %s", path, got.Text)
		}
	}
}

// TestNothingIsShownThatWasNotRead asks while no service responds.
func TestNothingIsShownThatWasNotRead(t *testing.T) {
	s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{})
	for _, path := range []string{"policies", "claims", "movements", "late", "summary", "triangle", "aging"} {
		got := s.Must(http.StatusServiceUnavailable, http.MethodGet, "/x/book/"+path, "")
		if got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
}
