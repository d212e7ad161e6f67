// Package console holds the page on which people do the day's work: a few files that a browser loads as they are. The
// page calls the public interface with the token of the person who uses it, and nothing else.
package console

import (
	"net/http"
	"net/url"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/problem"
)

// Path is the path of the console, and SeedPath that of the handler in Config.Local that fills an empty exchange.
const (
	Path     = "/console"
	SeedPath = Path + "/seed"
)

// Config is what the console shows of the exchange that serves it.
type Config struct {
	// OwnTokens reports whether the exchange signs its tokens itself: a person pastes one. Else Provider issues them.
	OwnTokens bool
	Provider  Provider
	// OrganisationClaim is the claim of a token that names the person's organisation, where several share the exchange.
	OrganisationClaim string
	// Amounts say what amounts are in.
	Amounts openapi.Amounts
	// Local holds what the page can ask of an exchange on the machine of its user only, by whole paths.
	Local map[string]http.Handler
}

// Provider is an identity provider at which the page signs people in: OpenID Connect, authorization code with PKCE.
type Provider struct {
	// Issuer is its identifier, Client what the console is registered as there, and Audience that of the tokens.
	Issuer, Client string
	Audience       []string
	// TokenURL is where it issues tokens, if that is not at the origin of Issuer.
	TokenURL string
}

// origins returns the origins that the page calls to sign in.
func (p Provider) origins() (list string) {
	for _, address := range []string{p.Issuer, p.TokenURL} {
		if u, err := url.Parse(address); err == nil && u.Host != "" && p.Client != "" {
			list += " " + u.Scheme + "://" + u.Host
		}
	}
	return list
}

// Pages returns the handlers of the console by their whole path. Where there is no console, the one at Path says why.
func Pages(config Config) map[string]http.Handler {
	why := ""
	switch {
	case !Built():
		why = "This gateway was built without the console."
	case config.OwnTokens:
		config.Provider = Provider{}
	case config.Provider.Client == "" || config.Provider.origins() == "":
		why = "The console is off: nobody could sign in. The setting console-client says what the console is " +
			"registered as at the identity provider, and jwt-issuer where that is."
	}
	if why != "" {
		return map[string]http.Handler{Path: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			problem.Write(w, problem.New(problem.NotFound, why))
		})}
	}
	all := page(config)
	for path, handler := range config.Local {
		all[path] = handler
	}
	return all
}

// Built reports whether this program was built with the console.
func Built() bool { return page != nil }

// page returns the handlers of the files of the page, by their whole path. It is nil in a build without the console.
var page func(Config) map[string]http.Handler
