package request_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

const (
	oldSecret = "an-old-secret-of-the-exchange"
	newSecret = "a-new-secret-of-the-exchange"
)

func credentials(t *testing.T, secrets ...string) request.Credentials {
	t.Helper()
	c, err := request.NewCredentials(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask sends a request with the headers to a service that accepts the credentials. It returns the response, and the
// caller that the handler got, or nil if the handler was not called.
func ask(accepted request.Credentials, header http.Header) (response *httptest.ResponseRecorder, seen *request.Caller) {
	return askTrusting(request.Trust{Credentials: accepted}, header)
}

// askTrusting is ask for a service with a trust of its own.
func askTrusting(trust request.Trust, header http.Header) (response *httptest.ResponseRecorder, seen *request.Caller) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(request.RequireGateway(trust))
	engine.GET("/", func(c *gin.Context) {
		caller := request.CallerFrom(c.Request.Context())
		seen = &caller
	})
	sent := httptest.NewRequest(http.MethodGet, "/", nil)
	sent.Header = header
	response = httptest.NewRecorder()
	engine.ServeHTTP(response, sent)
	return response, seen
}

func TestCallerReachesTheService(t *testing.T) {
	for _, subject := range []string{"broker-1", "auth0|7 %2F", "Jürgen\r\nX-Evil: 1", ""} {
		header := http.Header{}
		credentials(t, newSecret).Identify(header,
			request.Caller{Subject: subject, Client: subject, Scopes: []string{"std.admin", "std.developer"}})
		if strings.ContainsAny(header.Get(request.CallerHeader), "\r\n") {
			t.Fatalf("subject %q breaks out of its header", subject)
		}
		response, seen := ask(credentials(t, oldSecret, newSecret), header) // while the new secret is rolled out
		if seen == nil {
			t.Fatalf("subject %q: response %d", subject, response.Code)
		}
		if seen.Subject != subject || seen.Client != subject ||
			!slices.Equal(seen.Scopes, []string{"std.admin", "std.developer"}) {
			t.Errorf("seen %+v, want subject and client %q", seen, subject)
		}
	}
}

func TestServiceRefusesOthers(t *testing.T) {
	for name, header := range map[string]http.Header{
		"nothing":        {},
		"identity alone": {request.CallerHeader: {"broker-1"}, request.ScopesHeader: {"std.admin"}},
		"wrong secret":   {request.CallerHeader: {"broker-1"}, request.CredentialHeader: {oldSecret}},
		"empty secret":   {request.CredentialHeader: {""}},
		"longer secret":  {request.CredentialHeader: {newSecret + "x"}},
		"shorter secret": {request.CredentialHeader: {newSecret[:20]}},
	} {
		t.Run(name, func(t *testing.T) {
			response, seen := ask(credentials(t, newSecret), header)
			if seen != nil {
				t.Fatal("the handler was reached")
			}
			if response.Code != http.StatusUnauthorized ||
				response.Header().Get("Content-Type") != problem.ContentType ||
				response.Header().Get("WWW-Authenticate") == "" {
				t.Fatalf("response %d %v, want a 401 problem with a challenge", response.Code, response.Header())
			}
		})
	}
}

// TestReplacedSecrets: what was given credentials before they are replaced uses the new secrets, and refuses the old
// one.
func TestReplacedSecrets(t *testing.T) {
	held := credentials(t, oldSecret)
	copied, before, after := held, http.Header{}, http.Header{}
	copied.Identify(before, request.Caller{})
	held.Replace(credentials(t, newSecret))
	copied.Identify(after, request.Caller{})
	if _, seen := ask(copied, after); seen == nil {
		t.Errorf("the new secret is refused; %q is sent", after.Get(request.CredentialHeader))
	}
	if _, seen := ask(copied, before); seen != nil {
		t.Error("the secret that was replaced is accepted")
	}
}

func TestZeroCredentialsSendNothing(t *testing.T) {
	header := http.Header{request.CredentialHeader: {oldSecret}}
	request.Credentials{}.Identify(header, request.Caller{Subject: "broker-1"})
	if _, sent := header[request.CredentialHeader]; sent {
		t.Errorf("headers %v", header)
	}
}

func TestZeroCredentialsAcceptNothing(t *testing.T) {
	if _, seen := ask(request.Credentials{}, http.Header{request.CredentialHeader: {""}}); seen != nil {
		t.Fatal("the handler was reached")
	}
}

func TestWeakSecretsAreRefusedUnseen(t *testing.T) {
	for _, secrets := range [][]string{nil, {"short"}, {newSecret, "short"}, {"sixteen\ncharacters"},
		slices.Repeat([]string{newSecret}, 17)} {
		_, err := request.NewCredentials(secrets)
		if err == nil {
			t.Errorf("secrets %q are accepted", secrets)
		} else if strings.Contains(err.Error(), "short ") || strings.Contains(err.Error(), newSecret) {
			t.Errorf("error %q shows a secret", err)
		}
	}
}
