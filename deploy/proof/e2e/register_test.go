package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/register"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/pkg/wait"
)

// configured returns an exchange in which every rule of the register is set.
func configured(t *testing.T) *trial.Exchange {
	t.Helper()
	data := t.TempDir()
	signer, err := auth.OpenSigner(filepath.Join(data, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	sets := filepath.Join(data, "sets.yaml")
	if err := os.WriteFile(sets, []byte("MotorPeril: {extend: [rodents]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := commands.RunInOne(data,
		"EXCHANGE_VALUE_SETS="+sets, "EXCHANGE_KEY_RETENTION=1ns", "EXCHANGE_REPORTING_WINDOW=24h",
		"EXCHANGE_CLAIM_DOCUMENTS=2", "EXCHANGE_WORK_MEMORY=16", "EXCHANGE_MAX_RECORD=524288",
		"EXCHANGE_REFUND_RECEIPT_TYPE=other",
		"EXCHANGE_BORDEREAU_PERIOD=quarter", "EXCHANGE_TRIP_LENGTH=1-90", "EXCHANGE_ANNUAL_LENGTH=1-30",
		"EXCHANGE_ADMIN_MAY_READ=true", "EXCHANGE_EVENTS_RETENTION=1s", "EXCHANGE_WEBHOOK_PRIVATE_ADDRESSES=true",
		"EXCHANGE_AMOUNT_UNIT=minor", "EXCHANGE_CURRENCY=GBP", "EXCHANGE_TIME_ZONE=Europe/London",
		"EXCHANGE_CORS_ORIGINS=https://portal.example", "EXCHANGE_TOKEN_URL=https://login.example/token",
		"EXCHANGE_PUBLIC_URL=https://exchange.example", "EXCHANGE_JWT_TYPE=at+jwt",
		"EXCHANGE_JWT_KEYS="+signer.PublicFile(), "EXCHANGE_JWT_ISSUER="+trial.Issuer,
		"EXCHANGE_JWT_AUDIENCE="+trial.Audience,
	)
	trial.EndWith(t, e, err)
	return e
}

// rules are the tests of what each setting of the register does, on an exchange in which it is set.
var rules = map[string]func(t *testing.T, e *trial.Exchange, c *trial.Client){
	settings.ValueSets: func(t *testing.T, e *trial.Exchange, c *trial.Client) {
		values := served(t, e).Components.Schemas["MotorPeril"].Value.Enum
		if !slices.Contains(values, any("rodents")) || !slices.Contains(values, any("fire")) {
			t.Errorf("the document shows %v", values)
		}
		// A value that was not published is accepted. The client that checks responses knows only published values.
		body := insure(t, c).motor().With("perils", []string{"rodents"})
		if status := unchecked(t, e, "/motorCoverage", body); status != http.StatusCreated {
			t.Errorf("a policy with the added peril is refused with %d", status)
		}
	},
	settings.AmountUnit: func(t *testing.T, e *trial.Exchange, c *trial.Client) {
		for _, path := range []string{"/openapi.json", "/openapi-3.0.json"} {
			if !bytes.Contains(page(t, e, path), []byte("Amounts are in minor units of GBP here.")) {
				t.Errorf("%s does not say what amounts are in", path)
			}
		}
		body := receipt(policy(t, c).Text("policyNumber"), 1).With("paymentAmount", 420.5)
		refused := c.Post(t, "/receipt", body).Want(t, http.StatusBadRequest)
		if !bytes.Contains(refused.Body, []byte("amounts are in minor units here")) {
			t.Errorf("the refusal of a fraction is %s", refused.Body)
		}
	},
	settings.Currency: func(t *testing.T, e *trial.Exchange, _ *trial.Client) {
		if !bytes.Contains(page(t, e, "/openapi.json"), []byte(`"x-amounts":{"unit":"minor","currency":"GBP"}`)) {
			t.Error("the document does not have the currency for programs")
		}
	},
	settings.KeyRetention: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		key := fresh("key")
		first := c.Create(t, "vehicle", vehicle(), "Idempotency-Key", key)
		second := c.Create(t, "vehicle", vehicle(), "Idempotency-Key", key)
		if first.Text("id") == second.Text("id") {
			t.Error("a key that is no longer remembered finds its record")
		}
	},
	settings.MaxRecord: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		texts := slices.Repeat([]string{strings.Repeat("x", 50_000)}, 11)
		refused := c.Post(t, "/vehicle", vehicle().With("texts", texts)).Want(t, http.StatusRequestEntityTooLarge)
		wantMembers(t, refused.Record(t), map[string]string{"type": "/problems/record-too-large"})
		c.Create(t, "vehicle", vehicle().With("texts", texts[:9]))
	},
	settings.ReportingWindow: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		number := policy(t, c).Text("policyNumber")
		if late := c.Create(t, "claim", loss(number, -3).With("fnol", instant(0))); late["warnings"] == nil {
			t.Error("a claim three days late has no warning")
		}
		if early := c.Create(t, "claim", loss(number, -5)); early["warnings"] != nil {
			t.Errorf("a claim in time has the warnings %v", early["warnings"])
		}
	},
	settings.EventsRetention: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		next := c.Get(t, "/x/events").Want(t, http.StatusOK).Record(t).Text("next")
		wait.Until(t, func() error {
			if got := c.Get(t, "/x/events?after="+next); got.Status != http.StatusGone {
				return fmt.Errorf("the cursor is %d", got.Status)
			}
			return nil
		})
	},
	settings.WebhookPrivate: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		// It is reached, and refuses.
		c.Do(t, http.MethodPut, "/x/webhook/private", trial.Record{"url": refusing(t)}).
			Want(t, http.StatusUnprocessableEntity)
	},
	settings.ClaimDocuments: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		made := c.Create(t, "claim", loss(policy(t, c).Text("policyNumber"), -3).With("documents",
			[]string{"https://example.com/1", "https://example.com/2"}))
		refused := c.Post(t, "/claim/"+made.Text("id")+"/documents", trial.Record{"url": "https://example.com/3"}).
			Want(t, http.StatusBadRequest)
		if pointers := refused.Record(t).Pointers(); !slices.Equal(pointers, []string{"/url"}) {
			t.Errorf("a third document is refused at %v", pointers)
		}
	},
	settings.RefundReceiptType: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		made := c.Create(t, "receipt", receipt(policy(t, c).Text("policyNumber"), 5))
		refund := c.Post(t, "/receipt/"+made.Text("id")+":refund", nil).Want(t, http.StatusCreated).Record(t)
		wantMembers(t, refund, map[string]string{"receiptType": "other"})
	},
	settings.BordereauPeriod: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		number := policy(t, c).Text("policyNumber")
		c.Create(t, "receipt", receipt(number, 7))
		if period := awaitSum(t, c, number, "new policy", "7").Text("period"); !strings.Contains(period, "-Q") {
			t.Errorf("the period is %q", period)
		}
	},
	settings.TimeZone: func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		policy := c.Create(t, "motorCoverage", insure(t, c).motor().
			With("inceptionDate", "2026-01-01T00:00:00Z").With("expiryDate", "2026-06-30T23:00:00Z"))
		renewed := c.Post(t, "/motorCoverage/"+policy.Text("id")+":renew", nil).Want(t, http.StatusCreated).Record(t)
		wantMembers(t, renewed, map[string]string{"expiryDate": "2027-01-01T00:00:00Z"})
		about := c.Get(t, "/x/about").Want(t, http.StatusOK).Record(t)
		wantMembers(t, about, map[string]string{"timeZone": "Europe/London"})
	},
	settings.TripLength:   travelLength(false, 90),
	settings.AnnualLength: travelLength(true, 30),
	settings.AdminMayRead: func(t *testing.T, e *trial.Exchange, _ *trial.Client) {
		client(t, e, "writer", trial.Admin).Get(t, "/vehicle").Want(t, http.StatusOK)
		client(t, whole, "writer", trial.Admin).Get(t, "/vehicle").Want(t, http.StatusUnauthorized)
	},
	settings.CORSOrigins: func(t *testing.T, e *trial.Exchange, _ *trial.Client) {
		for exchange, status := range map[*trial.Exchange]int{e: http.StatusNoContent,
			whole: http.StatusMethodNotAllowed} {
			preflight, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, exchange.Base+"/vehicle", nil)
			if err != nil {
				t.Fatal(err)
			}
			preflight.Header.Set("Origin", "https://portal.example")
			preflight.Header.Set("Access-Control-Request-Method", http.MethodPost)
			response, err := http.DefaultClient.Do(preflight)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != status {
				t.Errorf("a preflight gets %d, want %d", response.StatusCode, status)
			}
		}
	},
	settings.TokenURL: func(t *testing.T, e *trial.Exchange, _ *trial.Client) {
		scheme := served(t, e).Components.SecuritySchemes[openapi.OAuth2]
		if scheme == nil || scheme.Value.Flows.ClientCredentials.TokenURL != "https://login.example/token" {
			t.Errorf("the document shows %+v", scheme)
		}
		if scheme := served(t, whole).Components.SecuritySchemes[openapi.OAuth2]; scheme != nil {
			t.Errorf("without the setting the document shows %+v", scheme)
		}
	},
	settings.PublicURL: func(t *testing.T, e *trial.Exchange, c *trial.Client) {
		const path = "/.well-known/oauth-protected-resource"
		for exchange, status := range map[*trial.Exchange]int{e: http.StatusOK, whole: http.StatusNotFound} {
			response, err := http.Get(exchange.Base + path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(response.Body)
			if err = errors.Join(err, response.Body.Close()); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != status ||
				status == http.StatusOK && !strings.Contains(string(text), `"resource":"https://exchange.example"`) {
				t.Errorf("%s gets %d, want %d: %s", path, response.StatusCode, status, text)
			}
		}
		challenge := c.With("").Get(t, "/vehicle").Want(t, http.StatusUnauthorized).Header.Get("WWW-Authenticate")
		if !strings.Contains(challenge, `resource_metadata="https://exchange.example`+path+`"`) {
			t.Errorf("the challenge is %s", challenge)
		}
	},
	"org-claim": func(t *testing.T, e *trial.Exchange, c *trial.Client) {
		c.Get(t, "/vehicle").Want(t, http.StatusOK) // e does not read the claim
		x, err := commands.RunInOne(t.TempDir(), "EXCHANGE_ORG_CLAIM=org")
		trial.EndWith(t, x, err)
		client(t, x, "ada", trial.Developer).Get(t, "/vehicle").Want(t, http.StatusUnauthorized)
		acme, zenith := member(t, x, "acme"), member(t, x, "zenith")
		path := "/vehicle/" + acme.Create(t, "vehicle", vehicle()).Text("id")
		kept := acme.Get(t, path).Want(t, http.StatusOK).Header.Get("Cache-Control")
		if kept != "private, no-store" {
			t.Errorf("Cache-Control is %q", kept)
		}
		zenith.Get(t, path).Want(t, http.StatusNotFound)
	},
	"org-default": func(t *testing.T, _ *trial.Exchange, _ *trial.Client) {
		data := t.TempDir()
		before, err := commands.RunInOne(data)
		if err != nil {
			t.Fatal(err)
		}
		path := "/vehicle/" + client(t, before, "ada", trial.Admin).Create(t, "vehicle", vehicle()).Text("id")
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		x, err := commands.RunInOne(data, "EXCHANGE_ORG_CLAIM=org", "EXCHANGE_ORG_DEFAULT=acme")
		trial.EndWith(t, x, err)
		member(t, x, "acme").Get(t, path).Want(t, http.StatusOK)
		member(t, x, "zenith").Get(t, path).Want(t, http.StatusNotFound)
	},
	settings.RateLimit:        rateLimit,
	settings.OrganisationRate: organisationRate,
	"work-memory":             workMemory,
	"jwt-scopes": func(t *testing.T, _ *trial.Exchange, _ *trial.Client) {
		e, idp := withIssuer(t, "EXCHANGE_JWT_SCOPES=roles")
		for number, status := range map[int]int{0: http.StatusUnauthorized, 2: http.StatusOK} {
			authorization, err := tokenOf(t.Context(), idp, registered[number], trial.Developer)
			if err != nil {
				t.Fatal(err)
			}
			client(t, e, "another").With(authorization).Get(t, "/vehicle").Want(t, status)
		}
	},
	"jwt-type": func(t *testing.T, e *trial.Exchange, c *trial.Client) {
		token := issue(t, e.Signer, func(g *auth.Grant) { g.Type = "JWT" })
		c.With("Bearer "+token).Get(t, "/vehicle").Want(t, http.StatusUnauthorized)
		client(t, whole, "reader", trial.Developer).Get(t, "/vehicle").Want(t, http.StatusOK)
	},
	"jwt-issuer": func(t *testing.T, e *trial.Exchange, c *trial.Client) {
		token := issue(t, e.Signer, func(g *auth.Grant) { g.Issuer = "another" })
		c.With("Bearer "+token).Get(t, "/vehicle").Want(t, http.StatusUnauthorized)
	},
	"jwt-audience": func(t *testing.T, e *trial.Exchange, c *trial.Client) {
		token := issue(t, e.Signer, func(g *auth.Grant) { g.Audience = []string{"another"} })
		c.With("Bearer "+token).Get(t, "/vehicle").Want(t, http.StatusUnauthorized)
	},
}

// workMemory sends a body while others are under way. With a work memory of 16 MiB they leave less of the
// half that one caller may have than a page.
func workMemory(t *testing.T, e *trial.Exchange, c *trial.Client) {
	large := vehicle().With("model", strings.Repeat("x", 50_000))
	// It is tried again if a busy machine takes so long that the exchange has given up one of the first.
	wait.Until(t, func() error {
		return besideBodies(t, e, func(there *trial.Client) error {
			got := there.Post(t, "/vehicle", large)
			after := got.Header.Get("Retry-After")
			if got.Status != http.StatusTooManyRequests || after == "" {
				return fmt.Errorf("with other bodies under way: status %d, Retry-After %q", got.Status, after)
			}
			return nil
		})
	})
	_ = besideBodies(t, whole, func(there *trial.Client) error {
		there.Post(t, "/vehicle", large).Want(t, http.StatusCreated)
		return nil
	})
	wait.Until(t, func() error {
		if got := c.Post(t, "/vehicle", large); got.Status != http.StatusCreated {
			return fmt.Errorf("after the other bodies have ended: status %d", got.Status)
		}
		return nil
	})
}

// besideBodies does something while a caller sends five bodies, of each of which 800,000 bytes have come.
// They count twice until the bodies are whole.
func besideBodies(t *testing.T, e *trial.Exchange, do func(there *trial.Client) error) error {
	there := client(t, e, "tester", trial.Developer, trial.Admin)
	for n := range 5 {
		next := do
		do = func(*trial.Client) error { return besideABody(t, e, there, float64(5-n)*1_600_000, next) }
	}
	return do(there)
}

// besideABody does something while another body is under way, from when there is so much in work.
func besideABody(
	t *testing.T, e *trial.Exchange, there *trial.Client, least float64, do func(there *trial.Client) error,
) error {
	t.Helper()
	body, rest := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.Base+"/vehicle", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", there.Authorization())
	request.Header.Set("Content-Type", "application/json")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	defer func() {
		_ = rest.CloseWithError(io.ErrUnexpectedEOF)
		<-ended
	}()
	if _, err := rest.Write(bytes.Repeat([]byte(" "), 800_000)); err != nil {
		return err
	}
	wait.Until(t, func() error {
		select {
		case <-ended:
			return nil
		default:
		}
		if inWork := workBytes(t, e); inWork < least {
			return fmt.Errorf("%v bytes are in work, and not %v", inWork, least)
		}
		return nil
	})
	return do(there)
}

// rateLimit sends requests until one is refused, to an exchange that allows one a second, and compares their headers
// with those of one that has no limit.
func rateLimit(t *testing.T, _ *trial.Exchange, _ *trial.Client) {
	e, idp := withIssuer(t, "EXCHANGE_RATE_LIMIT=1", "EXCHANGE_RATE_BURST=2")
	authorization, err := tokenOf(t.Context(), idp, registered[0], trial.Developer)
	if err != nil {
		t.Fatal(err)
	}
	hurried := client(t, e, "another").With(authorization)
	wait.Until(t, func() error {
		got := hurried.Get(t, "/vehicle")
		if policy := got.Header.Get("RateLimit-Policy"); policy != `"caller";q=2;w=2` {
			t.Errorf("RateLimit-Policy is %q", policy)
		}
		if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" ||
			!strings.HasPrefix(got.Header.Get("RateLimit"), `"caller";r=0;t=`) {
			return fmt.Errorf("status %d, %v", got.Status, got.Header)
		}
		return nil
	})
	if got := client(t, whole, "reader", trial.Developer).Get(t, "/vehicle").
		Want(t, http.StatusOK); got.Header.Get("RateLimit") != "" {
		t.Errorf("without the setting RateLimit is %q", got.Header.Get("RateLimit"))
	}
}

// organisationRate has two persons of one organisation send requests until one is refused, of an exchange that allows
// an organisation two at once. Another organisation is served meanwhile.
func organisationRate(t *testing.T, _ *trial.Exchange, _ *trial.Client) {
	x, err := commands.RunInOne(t.TempDir(), "EXCHANGE_ORG_CLAIM=org", "EXCHANGE_ORG_RATE=1",
		"EXCHANGE_ORG_BURST=2")
	trial.EndWith(t, x, err)
	ada, zenith := member(t, x, "acme"), member(t, x, "zenith")
	bo, err := x.Member("acme", "bo", trial.Developer)
	if err != nil {
		t.Fatal(err)
	}
	wait.Until(t, func() error {
		ada.Get(t, "/vehicle")
		got := bo.Get(t, "/vehicle")
		if policy := got.Header.Get("RateLimit-Policy"); policy != `"organisation";q=2;w=2` {
			t.Errorf("RateLimit-Policy is %q", policy)
		}
		if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
			return fmt.Errorf("status %d, %v", got.Status, got.Header)
		}
		return nil
	})
	zenith.Get(t, "/vehicle").Want(t, http.StatusOK)
}

// workBytes returns the memory that requests have in work in an exchange, by its metric.
func workBytes(t *testing.T, e *trial.Exchange) float64 {
	t.Helper()
	_, after, found := strings.Cut(e.Metrics(t, "exchange", "text/plain"), "\nexchange_work_bytes ")
	value, _, _ := strings.Cut(after, "\n")
	number, err := strconv.ParseFloat(value, 64)
	if !found || err != nil {
		t.Fatalf("exchange_work_bytes is %q: %v", value, err)
	}
	return number
}

// travelLength returns a test of a setting that limits the length of a travel policy, in days.
func travelLength(annual bool, most int) func(*testing.T, *trial.Exchange, *trial.Client) {
	return func(t *testing.T, _ *trial.Exchange, c *trial.Client) {
		body := trial.Record{
			"policyholderId": c.Create(t, "personal", personal()).Text("id"), "destination": 250,
			"isAnnualPolicy": annual,
			"travellerIds":   []string{c.Create(t, "traveller", trial.Record{"firstName": "Ada"}).Text("id")},
		}
		c.Create(t, "travelCoverage", body.With("length", most))
		c.Post(t, "/travelCoverage", body.With("length", most+1)).
			WantProblem(t, http.StatusBadRequest, "length out of range for policy type")
	}
}

// unchecked posts a record without comparing it with the document, and returns the status.
func unchecked(t *testing.T, e *trial.Exchange, path string, body trial.Record) int {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.Base+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+issue(t, e.Signer, func(g *auth.Grant) { g.Lifetime = time.Minute }))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// member returns a client whose token has the claim org.
func member(t *testing.T, e *trial.Exchange, organisation string) *trial.Client {
	t.Helper()
	c, err := e.Member(organisation, "ada", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryItemOfTheRegisterIsConfigurable compares the register with the programs. Each setting of the register is a
// flag of `exchange run` and of one of the separate commands, and does what the register says.
func TestEveryItemOfTheRegisterIsConfigurable(t *testing.T) {
	t.Parallel()
	items, err := register.Load()
	if err != nil {
		t.Fatal(err)
	}
	apart := []process.Program{gateway.Program()}
	for _, s := range allinone.Services() {
		apart = append(apart, s.Definition().Program(stores.Open))
	}
	hasFlag := func(name string) func(process.Program) bool {
		return func(p process.Program) bool { return p.Command(nil, io.Discard).Flag(name) != nil }
	}
	e := configured(t)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	for _, item := range items {
		for _, name := range item.Settings {
			t.Run(name, func(t *testing.T) {
				if !hasFlag(name)(allinone.RunProgram(io.Discard)) || !slices.ContainsFunc(apart, hasFlag(name)) {
					t.Error("no program has the flag")
				}
				if rules[name] == nil {
					t.Fatal("nothing says what the setting does")
				}
				rules[name](t, e, c)
			})
		}
	}
}
