package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/request"
)

// TestTheAccessListIsKeptBeforeTheResponse renews a policy at a service that asks for an access list to be kept, which
// succeeds, fails, and finds a list that was changed since.
func TestTheAccessListIsKeptBeforeTheResponse(t *testing.T) {
	const kept = `{"policyNumber":"POL-2","participants":[{"organisation":"zenith","rights":["read"]}]}`
	var asked string
	var status int
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.POST("/motorCoverage/1:renew", func(c *gin.Context) {
		for name, value := range map[string]string{
			request.KeepsHeader: kept, "Location": "/motorCoverage/2", "ETag": `"1"`, "Idempotency-Replayed": "true",
		} {
			c.Header(name, value)
		}
		c.String(http.StatusCreated, "a policy that the caller has renewed")
		c.Writer.Flush()
	})
	engine.PUT("/x/access/:policyNumber", func(c *gin.Context) {
		text, err := io.ReadAll(c.Request.Body)
		if err != nil {
			t.Error(err)
		}
		asked = strings.Join([]string{
			c.Param("policyNumber"), request.CallerFrom(c.Request.Context()).Subject, c.GetHeader("If-Match"),
			c.GetHeader(request.CallerHeader), string(text),
		}, " ")
		c.Status(status)
	})
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shared := func(config *gateway.Config) {
		config.Organisations, config.Verifier = true, verifierOf(t, signer, "org")
		config.Extensions = []routes.Extension{{
			Service: "composite", Path: "/x/access/{policyNumber}", Method: http.MethodPut, Writes: true,
		}}
		config.Upstreams["composite"] = config.Upstreams["coverage"]
	}
	overEach(t, engine, shared, func(t *testing.T, d door) {
		for _, c := range []struct{ of, want int }{
			{http.StatusOK, http.StatusCreated}, {http.StatusPreconditionFailed, http.StatusCreated},
			{http.StatusServiceUnavailable, http.StatusServiceUnavailable},
			{http.StatusNotFound, http.StatusServiceUnavailable},
		} {
			asked, status = "", c.of
			renewal := d.request(t, "POST", "/motorCoverage/1:renew", strings.NewReader("{}"))
			token, err := signer.Issue(auth.Grant{
				Subject: "broker-1", Scopes: []string{gateway.ScopeAdmin}, Lifetime: time.Hour,
				Organisation: "acme", OrganisationClaim: "org",
			})
			if err != nil {
				t.Fatal(err)
			}
			renewal.Header.Set("Authorization", "Bearer "+token)
			response, text := do(t, renewal)
			if !strings.HasPrefix(asked, "POL-2 ") || !strings.Contains(asked, "broker-1") ||
				!strings.HasSuffix(asked, ` {"participants":[{"organisation":"zenith","rights":["read"]}]}`) ||
				!strings.Contains(asked, ` "0" `) {
				t.Errorf("the list is asked for with %s", asked)
			}
			if response.Header.Get(request.KeepsHeader) != "" {
				t.Error("the caller gets the header")
			}
			if c.want != http.StatusCreated {
				isProblem(t, response, text, c.want)
				if response.Header.Get("Location") != "" || response.Header.Get("ETag") != "" ||
					response.Header.Get("Idempotency-Replayed") != "" {
					t.Errorf("a refusal has the headers %v", response.Header)
				}
				continue
			}
			if response.StatusCode != c.want || text != "a policy that the caller has renewed" ||
				response.Header.Get("Location") != "/motorCoverage/2" {
				t.Errorf("list %d: %d %q %v", c.of, response.StatusCode, text, response.Header)
			}
		}
	})
}
