package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
)

// TestTheExchangeSaysWhatItIs asks a gateway in front of services that respond as the contracts say, then of some that
// do not.
func TestTheExchangeSaysWhatItIs(t *testing.T) {
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Issue(auth.Grant{Subject: "broker-1", Scopes: []string{gateway.ScopeDeveloper},
		Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	hanging := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	other := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"name":"claims"}`)) })
	for _, missing := range []map[string]http.Handler{
		{}, {"coverage": http.NotFoundHandler(), "premium": hanging, "feed": other},
	} {
		args := []string{"--addr", "127.0.0.1:0", "--admin-addr", "", "--jwt-keys", signer.PublicFile(), "--currency", "GBP",
			"--rate-limit", "1000", "--token-command", "print-a-token"}
		var stubs []*consumercontract.Stub
		var names, unavailable []string
		for _, name := range internalapi.Services() {
			handler := missing[name]
			if handler == nil {
				stub := consumercontract.NewStub(t, filepath.Join("..", "contracts", "consumers", name, "gateway.json"))
				stubs, handler, names = append(stubs, stub), stub, append(names, name)
			} else {
				unavailable = append(unavailable, name)
			}
			upstream := httptest.NewServer(handler)
			defer upstream.Close()
			args = append(args, "--peer", name+"="+upstream.URL)
		}
		address, _, _ := run(t, args)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/x/about", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, body := do(t, request)
		var about beyond.About
		if err := json.Unmarshal([]byte(body), &about); err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%d %s (%v)", response.StatusCode, body, err)
		}
		var found []string
		for _, p := range about.Processes[1:] {
			found = append(found, p.Name)
			if p.Version != "v1.2.3" || p.Commit != "0123456789abcdef" || len(p.Settings) != 1 ||
				p.Settings[0].Value != "1048576" {
				t.Errorf("%+v", p)
			}
		}
		if !slices.Equal(found, names) || !slices.Equal(about.Unavailable, unavailable) {
			t.Errorf("the processes are %v, and %v is unavailable", found, about.Unavailable)
		}
		own := map[string]string{}
		for _, s := range about.Processes[0].Settings {
			own[s.Name] = s.Value
		}
		if about.Processes[0].Name != "gateway" || own["rate-limit"] != "1000" || own["currency"] != "GBP" ||
			own["max-body"] != "1048576" || own["amount-unit"] != "" || own["request-timeout"] != "15s" {
			t.Errorf("the gateway is %+v", about.Processes[0])
		}
		for _, secret := range []string{"a-secret-of-the-exchange", signer.PublicFile(), "127.0.0.1", "print-a-token"} {
			if strings.Contains(body, secret) {
				t.Errorf("%s is shown: %s", secret, body)
			}
		}
		for _, stub := range stubs {
			stub.WantAllAsked()
		}
	}
}
