package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/request"
)

// TestGatewayAsACommand runs the command in front of a service that demands its credential.
func TestGatewayAsACommand(t *testing.T) {
	credentials, err := request.NewCredentials([]string{"a-secret-of-the-exchange"})
	if err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	coverage := gin.New()
	coverage.GET("/vehicle", request.RequireGateway(request.Trust{Credentials: credentials}), func(c *gin.Context) {
		c.String(http.StatusOK, request.CallerFrom(c.Request.Context()).Subject)
	})
	upstream := httptest.NewServer(coverage)
	defer upstream.Close()
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	args := append(everyPeer(upstream.URL),
		"--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--jwt-keys", signer.PublicFile(), "--admin-may-read",
		"--token-url", "https://login.example/token", "--public-url", "https://exchange.example/")
	ctx, stop := context.WithCancel(t.Context())
	stderr, logs := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		environ := []string{
			"EXCHANGE_CREDENTIAL=a-secret-of-the-exchange", "EXCHANGE_BORDEREAU_PERIOD=month",
			"EXCHANGE_DRAIN_DELAY=0s",
		}
		ended <- gateway.Program().Execute(ctx, args, environ, io.Discard, logs)
		logs.Close()
	}()
	address, warnings := "", ""
	for lines := bufio.NewScanner(stderr); address == "" && lines.Scan(); {
		if strings.Contains(lines.Text(), `"level":"WARN"`) {
			warnings += lines.Text()
		}
		if _, rest, ok := strings.Cut(lines.Text(), `"msg":"listening","address":"`); ok {
			address, _, _ = strings.Cut(rest, `"`)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	for _, setting := range []string{"--jwt-issuer", "--jwt-audience"} {
		if !strings.Contains(warnings, setting) {
			t.Errorf("no warning that %s is not given: %s", setting, warnings)
		}
	}
	token, err := signer.Issue(auth.Grant{Subject: "broker-1", Scopes: []string{gateway.ScopeAdmin},
		Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/vehicle", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if response, body := do(t, request); response.StatusCode != http.StatusOK || body != "broker-1" {
		t.Errorf("status %d, body %q", response.StatusCode, body)
	}
	request, err = http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := do(t, request); !strings.Contains(body, `"tokenUrl":"https://login.example/token"`) {
		t.Error("the document does not show the token URL")
	}
	metadata, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://"+address+"/.well-known/oauth-protected-resource", nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"resource":"https://exchange.example","scopes_supported":["std.developer","std.admin"],` +
		`"bearer_methods_supported":["header"],"resource_name":"Insurance Exchange Service",` +
		`"resource_documentation":"https://exchange.example/docs"}`
	if response, body := do(t, metadata); response.StatusCode != http.StatusOK || body != want ||
		response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("status %d, metadata %s", response.StatusCode, body)
	}
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestGatewayNamesWhatIsMissing(t *testing.T) {
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	peers := everyPeer("http://127.0.0.1:1")
	for want, args := range map[string][]string{
		"setting jwks-url":   append(peers, "--credential", "a-secret-of-the-exchange"),
		"setting credential": append(peers, "--jwt-keys", signer.PublicFile()),
		"setting token-url": append(peers, "--jwt-keys", signer.PublicFile(), "--credential",
			"a-secret-of-the-exchange", "--token-url", "login.example/token"),
		"setting public-url": append(peers, "--jwt-keys", signer.PublicFile(), "--credential",
			"a-secret-of-the-exchange", "--public-url", "https://exchange.example/api"),
		"setting peer": {"--jwt-keys", signer.PublicFile(), "--credential", "a-secret-of-the-exchange"},
	} {
		var stderr strings.Builder
		args = append([]string{"--addr", "127.0.0.1:0", "--admin-addr", ""}, args...)
		status := gateway.Program().Execute(t.Context(), args, nil, io.Discard, &stderr)
		if status != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("status %d, stderr %q, want %q", status, stderr.String(), want)
		}
	}
}

// everyPeer returns the flags that give every service the same address.
func everyPeer(address string) []string {
	var flags []string
	for _, service := range internalapi.Services() {
		flags = append(flags, "--peer", service+"="+address)
	}
	return slices.Clip(flags)
}
