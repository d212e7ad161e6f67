package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/request"
)

// TestTheOrganisationComesFromTheTokenAlone sends tokens of organisations to a service of a shared exchange, with
// headers by which a caller might name another one.
func TestTheOrganisationComesFromTheTokenAlone(t *testing.T) {
	credentials, err := request.NewCredentials([]string{"a-secret-of-the-exchange"})
	if err != nil {
		t.Fatal(err)
	}
	trust := request.Trust{Credentials: credentials, Organisations: true}
	engine := gin.New()
	engine.GET("/vehicle", request.RequireGateway(trust), func(c *gin.Context) {
		c.String(http.StatusOK, "%s", request.OrganisationFrom(c.Request.Context()))
	})
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shared := func(config *gateway.Config) {
		config.Verifier, config.Organisations = verifierOf(t, signer, "org"), true
		each := gateway.Rate{PerSecond: 1, Burst: 2}
		if config.Rates, err = gateway.NewRates(gateway.Rate{}, each, time.Now); err != nil {
			t.Fatal(err)
		}
	}
	overEach(t, engine, shared, func(t *testing.T, d door) {
		as := func(name string) *http.Request {
			token, err := signer.Issue(auth.Grant{
				Subject: "broker-1", Scopes: []string{gateway.ScopeDeveloper}, Organisation: name,
				OrganisationClaim: "org", Lifetime: time.Hour,
			})
			if err != nil {
				t.Fatal(err)
			}
			asked := d.request(t, "GET", "/vehicle", nil)
			asked.Header.Set("Authorization", "Bearer "+token)
			asked.Header[request.OrganisationHeader] = []string{"*"}
			asked.Header["x-exchange-organisation"] = []string{"zenith"}
			return asked
		}
		// The same subject of two organisations is two callers, of whom each may send two requests.
		for range 2 {
			for _, name := range []string{"acme", "zenith", "ACME"} {
				response, text := do(t, as(name))
				if response.StatusCode != http.StatusOK || text != name {
					t.Errorf("%s: status %d, the service sees %q", name, response.StatusCode, text)
				}
				if cache := response.Header.Get("Cache-Control"); cache != "private, no-store" {
					t.Errorf("Cache-Control is %q", cache)
				}
			}
		}
		response, text := do(t, as(""))
		isProblem(t, response, text, http.StatusUnauthorized)
	})
}
