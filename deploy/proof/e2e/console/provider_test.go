package console

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
)

// provider is an identity provider that signs in every user: OpenID Connect, authorization code with PKCE.
type provider struct {
	*httptest.Server
	signer *auth.Signer

	mu sync.Mutex
	// codes holds the requests that were granted and have no token yet, by their codes.
	codes map[string]url.Values
	// alters changes what the person comes back with from the next request.
	alters func(given url.Values)
}

// providing runs an exchange whose tokens come from a provider.
func providing(t *testing.T) (*trial.Exchange, *provider) {
	t.Helper()
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	i := &provider{signer: signer, codes: map[string]url.Values{}}
	serve := http.NewServeMux()
	serve.HandleFunc("GET /.well-known/openid-configuration", i.metadata)
	serve.HandleFunc("GET /authorize", i.authorize)
	serve.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewServer(serve)
	t.Cleanup(i.Close)
	e := run(t, "EXCHANGE_JWT_KEYS="+signer.PublicFile(), "EXCHANGE_JWT_ISSUER="+i.URL,
		"EXCHANGE_JWT_AUDIENCE="+trial.Audience, "EXCHANGE_CONSOLE_CLIENT=the-console")
	e.Signer = signer
	return e, i
}

func (i *provider) metadata(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize",
		"token_endpoint": i.URL + "/token", "authorization_response_iss_parameter_supported": true})
}

// respond sends JSON that every page may read.
func respond(w http.ResponseWriter, status int, with map[string]any) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(with)
}

// authorize sends the browser back with a code, if the request is one that a provider would grant.
func (i *provider) authorize(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	asked := r.URL.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || asked.Get("response_type") != "code" || asked.Get("client_id") != "the-console" ||
		asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") == "" || asked.Get("state") == "" ||
		asked.Get("audience") != trial.Audience || !strings.Contains(asked.Get("scope"), trial.Admin) {
		http.Error(w, "not a request of OpenID Connect with PKCE: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.codes[code] = asked
	given := url.Values{"state": asked["state"], "iss": {i.URL}, "code": {code}}
	if i.alters != nil {
		i.alters(given)
		i.alters = nil
	}
	back.RawQuery = given.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code for a token, once, for the page that has asked for the code.
func (i *provider) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	asked, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || r.PostFormValue("grant_type") != "authorization_code" ||
		r.PostFormValue("client_id") != "the-console" || r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") ||
		base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge") {
		respond(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "no such code"})
		return
	}
	token, err := i.signer.Issue(auth.Grant{Subject: "colleague", Scopes: []string{trial.Developer, trial.Admin},
		Issuer: i.URL, Audience: []string{trial.Audience}, Lifetime: time.Hour})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	respond(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

// colleague returns a client with a token of the provider.
func (i *provider) colleague(t *testing.T, e *trial.Exchange) *trial.Client {
	t.Helper()
	c, err := e.ClientOf(i.URL, "colleague", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestProvider signs in at an identity provider, which refuses once. The person comes back to the screen that was
// asked for. The token stands in no address, log or storage.
func TestProvider(t *testing.T) {
	t.Parallel()
	e, i := providing(t)
	made := policy(t, i.colleague(t, e), "Provided")
	i.alters = func(given url.Values) {
		given.Del("code")
		given.Set("error", "access_denied")
	}
	p := blank(t, e)
	p.visit("/policy/" + made.Text("policyNumber"))
	p.sees("#sign-in", "identity provider")
	p.click("#sign-in button")
	p.sees("#sign-in", "You are not signed in. access_denied")
	p.becomes("location.search === '' && sessionStorage.length === 0")
	p.click("#sign-in button")
	p.sees("#who", "colleague")
	p.sees("[data-part=policyholder]", "Grace Provided")
	p.becomes("location.search === '' && location.hash.startsWith('#/policy/')")
	p.becomes("sessionStorage.length === 0 && localStorage.length === 0 && document.cookie === ''")
	p.becomes("performance.getEntries().every((e) => !/eyJ/.test(e.name))")
	if n := e.Logged("exchange", "eyJ"); n > 0 {
		t.Errorf("%d lines of the log have a token", n)
	}
	p.click("#sign-out")
	p.sees("#sign-in", "identity provider")
}

// TestProviderForAnotherTab comes with a code that this tab has not asked for: it is not exchanged.
func TestProviderForAnotherTab(t *testing.T) {
	t.Parallel()
	e, i := providing(t)
	i.codes["stolen"] = url.Values{}
	p := blank(t, e)
	p.to(e.Base + "/console?code=stolen&state=guessed")
	p.sees("#elsewhere", "You can close this one")
	p.becomes("location.search === ''")
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.codes) != 1 {
		t.Error("the code was exchanged")
	}
}

// TestProviderWrong comes back with what is not for this page or not of this provider. Nobody is signed in, the code is
// not exchanged, and the page says why. Then the person signs in.
func TestProviderWrong(t *testing.T) {
	t.Parallel()
	e, i := providing(t)
	set := func(name, value string) func(url.Values) {
		return func(given url.Values) { given.Set(name, value) }
	}
	for name, c := range map[string]struct {
		alters func(given url.Values)
		shown  string
		says   string
	}{
		"the issuer is another one": {set("iss", "https://else.example"), "#sign-in", `unexpected "iss"`},
		"there is no issuer":        {func(given url.Values) { given.Del("iss") }, "#sign-in", `"iss" (issuer) missing`},
		"there are two states": {func(given url.Values) { given.Add("state", "guessed") }, "#sign-in",
			"provided only once"},
		"there is no code":         {func(given url.Values) { given.Del("code") }, "#sign-in", "no authorization code"},
		"the state is another one": {set("state", "guessed"), "#elsewhere", "You can close this one"},
		"the code is refused":      {set("code", "guessed"), "#sign-in", "invalid_grant: no such code"},
	} {
		t.Run(name, func(t *testing.T) {
			i.mu.Lock()
			i.alters = c.alters
			before := len(i.codes)
			i.mu.Unlock()
			p := blank(t, e)
			p.visit("/today")
			p.click("#sign-in button")
			p.sees(c.shown, c.says)
			p.becomes("location.search === '' && document.querySelector('#who').innerText === ''")
			i.mu.Lock()
			after := len(i.codes)
			i.mu.Unlock()
			if after != before+1 {
				t.Error("the code was exchanged")
			}
			p.visit("/today")
			p.click("#sign-in button")
			p.sees("#who", "colleague")
		})
	}
}

// TestProviderTokenEnds lets the token end before a form is sent. The person signs in in another tab, and the form,
// which is as it was, is sent.
func TestProviderTokenEnds(t *testing.T) {
	t.Parallel()
	e, i := providing(t)
	c := i.colleague(t, e)
	claim := loss(t, c, policy(t, c, "Expired"))
	p := blank(t, e)
	p.visit("/claim/" + claim.Text("claimNumber"))
	p.click("#sign-in button")
	p.click("[data-action=settle]")
	p.fill("settle", "/paymentAmount", "321")
	p.fill("settle", "/paymentMethod", "cash")
	pass := p.ended("*:settle")
	p.send("settle")
	p.sees("#sign-in", "Your sign-in has ended.")
	pass()
	p.click("#sign-in button")
	p.sees(".lead", "closed")
	settledOnce(t, c, claim)
}
