package request_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/request"
)

func named(t *testing.T, name string) organisation.ID {
	t.Helper()
	who, err := organisation.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// TestTheOrganisationReachesTheService sends each sort of organisation to a service of a shared exchange and to one of
// an exchange that is not shared, by HTTP and within one process. A service refuses what its exchange does not have.
func TestTheOrganisationReachesTheService(t *testing.T) {
	for _, c := range []struct {
		who              organisation.ID
		shared, unshared bool
	}{
		{named(t, "acme"), true, false},
		{named(t, "A.c_me-1"), true, false},
		{organisation.Exchange(), true, true},
		{organisation.Sole(), false, true},
	} {
		sent := request.Caller{Subject: "broker-1", Scopes: []string{"std.admin"}, Organisation: c.who}
		if c.shared && !c.who.All() {
			sent.Issuer = "https://id.example/\r\nX: 1"
		}
		for shared, accepts := range map[bool]bool{true: c.shared, false: c.unshared} {
			trust := request.Trust{Credentials: credentials(t, newSecret), Organisations: shared}
			header := http.Header{request.OrganisationHeader: {"left-from-before"}}
			trust.Credentials.Identify(header, sent)
			response, seen := askTrusting(trust, header)
			within, seenWithin := askWithin(trust, sent)
			if accepts != (seen != nil) || accepts != (seenWithin != nil) {
				t.Fatalf("%s, shared %v: by HTTP %d, within the process %d", c.who, shared, response.Code, within.Code)
			}
			if accepts && (!reflect.DeepEqual(*seen, sent) || !reflect.DeepEqual(*seenWithin, sent)) {
				t.Errorf("%s: the service sees %+v and %+v, want %+v", c.who, *seen, *seenWithin, sent)
			}
			if !accepts && (response.Code != http.StatusInternalServerError || within.Code != response.Code) {
				t.Errorf("%s: refused with %d by HTTP, with %d within the process", c.who, response.Code, within.Code)
			}
		}
	}
}

// askWithin sends a request whose context carries the caller, as one of the same process does.
func askWithin(trust request.Trust, caller request.Caller) (response *httptest.ResponseRecorder, seen *request.Caller) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/", request.RequireGateway(trust), func(c *gin.Context) {
		caller := request.CallerFrom(c.Request.Context())
		seen = &caller
	})
	response = httptest.NewRecorder()
	engine.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/", nil).
		WithContext(request.WithCaller(context.Background(), caller)))
	return response, seen
}

// TestNoOrganisationIsRefused: a caller of nobody is none of a shared exchange, and a malformed name is nobody's.
func TestNoOrganisationIsRefused(t *testing.T) {
	trust := request.Trust{Credentials: credentials(t, newSecret), Organisations: true}
	for name, values := range map[string][]string{
		"none": nil, "empty": {""}, "two": {"acme", "zenith"}, "a list": {"acme,zenith"}, "a pattern": {"acme*"},
		"white space": {" acme"},
	} {
		header := http.Header{request.CredentialHeader: {newSecret}, request.CallerHeader: {"broker-1"}}
		if values != nil {
			header[request.OrganisationHeader] = values
		}
		if response, seen := askTrusting(trust, header); seen != nil || response.Code < 400 {
			t.Errorf("%s: status %d, seen %v", name, response.Code, seen)
		}
	}
	if response, seen := askWithin(trust, request.Caller{Subject: "broker-1"}); seen != nil {
		t.Errorf("within the process: status %d, seen %v", response.Code, seen)
	}
}

// TestKeysOfCallers: callers that differ in one part are two, however the parts are cut; without organisations the
// subject alone is the key.
func TestKeysOfCallers(t *testing.T) {
	seen := map[string]request.Caller{}
	for _, c := range []request.Caller{
		{Organisation: named(t, "acme"), Issuer: "a", Subject: "b"},
		{Organisation: named(t, "acme"), Issuer: "a", Subject: `" "b`},
		{Organisation: named(t, "acme"), Issuer: `a" "`, Subject: "b"},
		{Organisation: named(t, "acme"), Issuer: "a b", Subject: ""},
		{Organisation: named(t, "acme"), Issuer: "", Subject: "a b"},
		{Organisation: named(t, "ACME"), Issuer: "a", Subject: "b"},
		{Organisation: named(t, "acme2"), Issuer: "a", Subject: "b"},
		{Organisation: organisation.Sole(), Subject: "b"},
	} {
		if other, is := seen[c.Key()]; is {
			t.Errorf("%+v and %+v have the key %q", c, other, c.Key())
		}
		seen[c.Key()] = c
	}
	sole := request.Caller{Organisation: organisation.Sole(), Subject: "b"}
	if sole.Key() != "b" || sole.Account() != "b" {
		t.Errorf("key %q, account %q", sole.Key(), sole.Account())
	}
	acme := request.Caller{Organisation: named(t, "acme"), Subject: "b"}
	if acme.Account() != "acme" {
		t.Errorf("account %q", acme.Account())
	}
}
