package claims_test

import (
	"strings"
	"testing"
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
