package claims_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

const fire = `{"policyNumber":"MOTOR","lossDate":"2026-02-01T00:00:00Z","lossCause":"fire","claimType":"other"`

func TestNullIsNoDocument(t *testing.T) {
	s := start(t, exchange)
	for _, documents := range []string{`[null]`, `["u",null]`} {
		a := s.Must(400, "POST", "/claim", fire+`,"documents":`+documents+`}`)
		if !strings.Contains(a.Text, `"reason":"must not be null"`) || !strings.Contains(a.Text, `"pointer":"/documents/`) {
			t.Error(a.Text)
		}
	}
	id := s.Create("claim", fire+`,"documents":null}`)
	s.Must(400, "PUT", "/claim/"+id, `{"documents":[null]}`)
	s.Must(400, "POST", "/claim/"+id+"/documents", `{"url":null}`)
}

// TestTypesStayWithTheirDocuments sends the documents of a claim in another order and with one of them twice.
func TestTypesStayWithTheirDocuments(t *testing.T) {
	s := start(t, exchange)
	path := "/claim/" + s.Create("claim", fire+`,"documents":["u0"]}`)
	for _, document := range []string{`{"url":"u1","type":"photo"}`, `{"url":"u2"}`, `{"url":"u1","type":"report"}`} {
		s.Must(200, "POST", path+"/documents", document)
	}
	a := s.Must(200, "PUT", path, `{"documents":["u1","new","u1","u0","u1"]}`)
	if !strings.Contains(a.Text, `"documentTypes":["photo","","report","",""]`) {
		t.Error(a.Text)
	}
}

func TestAClaimHasNoMoreDocumentsThanCanBeSentBack(t *testing.T) {
	s := start(t, exchange)
	list := strings.TrimSuffix(strings.Repeat(`"u",`, 9_999), ",")
	path := "/claim/" + s.Create("claim", fire+`,"documents":[`+list+`]}`)
	s.Must(200, "POST", path+"/documents", `{"url":"last"}`)
	if a := s.Must(400, "POST", path+"/documents", `{"url":"one more"}`); !strings.Contains(a.Text, `"pointer":"/url"`) {
		t.Error(a.Text)
	}
	s.Must(200, "PUT", path, s.Must(200, "GET", path, "").Text)
}

// TestAClaimHasAGreatestSize adds large documents until there is no room, and makes room again.
func TestAClaimHasAGreatestSize(t *testing.T) {
	s := start(t, exchange)
	path := "/claim/" + s.Create("claim", fire+`}`)
	document := `{"url":"https://example.com/` + strings.Repeat("d", 60<<10) + `"}`
	var a servicetest.Answer
	added := 0
	for ; a.Status != 413 && added < 200; added++ {
		a = s.Do("POST", path+"/documents", document)
	}
	if added < 130 || a.Member("title") != "record too large" {
		t.Fatalf("document %d: %d %.300s", added, a.Status, a.Text)
	}
	if a := s.Do("PUT", path, `{"more":[`+strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("m", 60<<10)+`",`, 12), ",")+`]}`); a.Member("title") != "record too large" {
		t.Errorf("replaced: %d %.300s", a.Status, a.Text)
	}
	// Nothing of it was written, and the claim can still be settled and made smaller.
	if a := s.Must(200, "GET", path, ""); strings.Count(a.Text, "https://") != added-1 {
		t.Errorf("%d documents, want %d", strings.Count(a.Text, "https://"), added-1)
	}
	s.Must(200, "PUT", path, `{"documents":["https://example.com/index"]}`)
	s.Must(200, "POST", path+"/documents", document)
}
