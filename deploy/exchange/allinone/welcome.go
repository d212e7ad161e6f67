package allinone

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"insurance.example/exchange/deploy/exchange/local"
)

// welcome writes where the exchange listens and how to call it. Each command works as it is pasted, so there are none
// if an identity provider issues the tokens.
func (r *runner) welcome(base, admin, claim string) error {
	data, err := filepath.Abs(r.data)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\nThe Insurance Exchange listens on %s\n", base)
	if r.hasConsole && !r.demo {
		link, err := local.NewLink(r.data, base, local.Subject, time.Now(), local.LinkLifetime)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "  look at it:         %s (once, within a minute; exchange link prints another)\n", link)
	}
	fmt.Fprintf(&text, "  read and try it:    %s/docs\n", base)
	if admin != "" {
		fmt.Fprintf(&text, "  metrics and health: http://%s/metrics, /livez, /readyz\n", admin)
	}
	if r.store.URL.InMongo() {
		fmt.Fprintf(&text, "  records:            MongoDB at %s\n", r.store.URL.Hosts())
	}
	fmt.Fprintf(&text, "  data:               %s\n", data)
	if r.testClock != "" {
		fmt.Fprintf(&text, "  test clock:         %s; POST %s/x/clock:advance moves it\n",
			r.clock.Now().Format(time.RFC3339), base)
	}
	if r.ownTokens {
		command, err := os.Executable()
		if err != nil {
			return err
		}
		bearer := fmt.Sprintf(`curl -H "Authorization: Bearer $('%s' token --data '%s'%s)"`, command, data,
			tokenOf(r.organisation, claim))
		fmt.Fprintf(&text, "\nTry it from a shell:\n")
		fmt.Fprintf(&text, "  %s %s/productCatalog\n", bearer, base)
		fmt.Fprintf(&text, "  %s -H 'Content-Type: application/json' -d '{\"plateNumber\":\"EX "+
			"2026\",\"vin\":\"WVWZZZ1JZXW000001\"}' %s/vehicle\n", bearer, base)
		fmt.Fprintf(&text, "  %s %s/vehicle\n", bearer, base)
	} else {
		keys := r.gateway.Tokens.JWKSURL + r.gateway.Tokens.KeyFile // one of the two is empty
		fmt.Fprintf(&text, "\nTokens come from your identity provider, and are checked with the keys in %s.\n", keys)
		fmt.Fprintf(&text, "Reading (GET) needs the scope std.developer, everything else std.admin.\n")
	}
	fmt.Fprintf(&text, "\nCtrl-C stops it.\n\n")
	_, err = fmt.Fprint(r.banner, text.String())
	return err
}

// tokenOf returns the arguments by which the command token names an organisation in a claim; none for no organisation.
func tokenOf(organisation, claim string) string {
	switch {
	case organisation == "":
		return ""
	case claim == local.OrganisationClaim:
		return " --org " + organisation
	default:
		return fmt.Sprintf(" --org %s --org-claim '%s'", organisation, claim)
	}
}
