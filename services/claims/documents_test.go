package claims_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/claims"
)

const fire = `{"policyNumber":"MOTOR","lossDate":"2026-02-01T00:00:00Z","lossCause":"fire","claimType":"other"`

func TestNullIsNoDocument(t *testing.T) {
	s := start(t, coverage(t))
	for _, documents := range []string{`[null]`, `["u",null]`} {
		a := s.Must(400, "POST", "/claim", fire+`,"documents":`+documents+`}`)
		if !strings.Contains(a.Text, `"reason":"must not be null"`) ||
			!strings.Contains(a.Text, `"pointer":"/documents/`) {
			t.Error(a.Text)
		}
	}
	id := s.Create("claim", fire+`,"documents":null}`)
	s.Must(400, "PUT", "/claim/"+id, `{"documents":[null]}`)
	s.Must(400, "POST", "/claim/"+id+"/documents", `{"url":null}`)
}

// TestTypesStayWithTheirDocuments sends the documents of a claim in another order and with one of them twice.
func TestTypesStayWithTheirDocuments(t *testing.T) {
	s := start(t, coverage(t))
	path := "/claim/" + s.Create("claim", fire+`,"documents":["u0"]}`)
	for _, document := range []string{`{"url":"u1","type":"photo"}`, `{"url":"u2"}`, `{"url":"u1","type":"report"}`} {
		s.Must(200, "POST", path+"/documents", document)
	}
	a := s.Must(200, "PUT", path, `{"documents":["u1","new","u1","u0","u1"]}`)
	if !strings.Contains(a.Text, `"documentTypes":["photo","","report","",""]`) {
		t.Error(a.Text)
	}
}

// TestTheDocumentsOfAClaimAreFew: by whatever way they come.
func TestTheDocumentsOfAClaimAreFew(t *testing.T) {
	s := start(t, coverage(t))
	thousand := strings.TrimSuffix(strings.Repeat(`"u",`, 1000), ",")
	refuse := func(pointer, method, path, body string) {
		t.Helper()
		if a := s.Must(400, method, path, body); !strings.Contains(a.Text,
			`"pointer":"`+pointer+`","reason":"makes too many documents: a claim has at most 1000"`) {
			t.Error(a.Text)
		}
	}
	refuse("/documents", "POST", "/claim", fire+`,"documents":["u",`+thousand+`]}`)
	path := "/claim/" + s.Create("claim", fire+`,"documents":[`+thousand+`]}`)
	refuse("/url", "POST", path+"/documents", `{"url":"one more"}`)
	refuse("/documents", "PUT", path, `{"documents":["u",`+thousand+`]}`)
	s.Must(200, "PUT", path, `{"documents":["other","u","u"]}`)
	s.Must(200, "POST", path+"/documents", `{"url":"one more"}`)
}

// TestAClaimKeepsTheDocumentsThatItHas: the claim was written while it might have more.
func TestAClaimKeepsTheDocumentsThatItHas(t *testing.T) {
	store := servicetest.OpenStore(t)
	with := func(setting string) *servicetest.Service {
		return servicetest.Start(t, claims.Service().Definition(), servicetest.Options{
			Clock: servicetest.At(t, "2026-06-01T00:00:00Z"),
			Peers: map[string]http.Handler{"coverage": coverage(t)}, Store: store,
			Flags: []string{"--claim-documents", setting},
		})
	}
	path := "/claim/" + with("5").Create("claim", fire+`,"documents":["a","b","c","d"]}`)
	s := with("2")
	s.Must(200, "PUT", path, s.Must(200, "GET", path, "").Text)
	s.Must(200, "PUT", path, `{"documents":["d","c","b","a"]}`)
	s.Must(400, "PUT", path, `{"documents":["d","c","b","a","e"]}`)
	s.Must(400, "POST", path+"/documents", `{"url":"e"}`)
	s.Must(200, "PUT", path, `{"documents":["d","c","b"]}`)
}

func TestAClaimHasNoMoreDocumentsThanCanBeSentBack(t *testing.T) {
	s := start(t, coverage(t), "--claim-documents", "10000")
	list := strings.TrimSuffix(strings.Repeat(`"u",`, 9_999), ",")
	path := "/claim/" + s.Create("claim", fire+`,"documents":[`+list+`]}`)
	s.Must(200, "POST", path+"/documents", `{"url":"last"}`)
	if a := s.Must(400, "POST", path+"/documents", `{"url":"one more"}`); !strings.Contains(a.Text,
		`"pointer":"/url"`) {
		t.Error(a.Text)
	}
	s.Must(200, "PUT", path, s.Must(200, "GET", path, "").Text)
}

// TestAClaimHasAGreatestSize fills a claim until there is no room for another document, and makes room again.
func TestAClaimHasAGreatestSize(t *testing.T) {
	s := start(t, coverage(t), "--max-record", "14000")
	path := "/claim/" + s.Create("claim", fire+`}`)
	long := strings.Repeat("m", 1<<10)
	more := `[` + strings.TrimSuffix(strings.Repeat(`"`+long+`",`, 5), ",") + `]`
	for i := range 2 {
		s.Must(200, "PUT", path, fmt.Sprintf(`{"more%d":%s}`, i, more))
	}
	refused := func(a servicetest.Response, what string) {
		t.Helper()
		if a.Status != 413 || a.Member("title") != "record too large" ||
			!strings.Contains(a.Text, "Nothing was written.") {
			t.Errorf("%s: %d %.300s", what, a.Status, a.Text)
		}
	}
	refused(s.Do("PUT", path, `{"oneMore":`+more+`}`), "one more")
	var a servicetest.Response
	added := 0
	for ; a.Status != 413 && added < 20; added++ {
		a = s.Do("POST", path+"/documents", `{"url":"https://`+long+`"}`)
	}
	if added < 2 {
		t.Errorf("only %d documents", added)
	}
	refused(a, fmt.Sprint("document ", added))
	// The exchange has room of its own: the claim is settled and reopened.
	s.Must(200, "POST", path+":settle", `{"paymentAmount":1,"paymentMethod":"cash"}`)
	s.Must(200, "POST", path+":reopen", "")
	refused(s.Do("POST", path+"/documents", `{"url":"https://`+long+`"}`), "a document after the settlement")
	// Nothing of it was written, and the claim can still be made smaller.
	if a := s.Must(200, "GET", path, ""); strings.Count(a.Text, "https://") != added-1 ||
		a.Member("claimStatus") != "reopened" {
		t.Errorf("%d documents, want %d; %s", strings.Count(a.Text, "https://"), added-1, a.Member("claimStatus"))
	}
	s.Must(200, "PUT", path, `{"documents":["https://example.com/index"],"more0":[],"more1":[]}`)
	s.Must(200, "POST", path+"/documents", `{"url":"https://`+long+`"}`)
}
