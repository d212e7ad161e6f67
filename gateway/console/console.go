// Package console holds the page on which people do the day's work: a few files that a browser loads as they are. The
// page calls the public interface with the token of the person who uses it, and nothing else.
package console

import (
	"context"
	"net/http"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/problem"
)

// Path is the path of the console.
const Path = "/console"

// Config is what the console shows of the exchange that serves it.
type Config struct {
	// OwnTokens reports whether the exchange signs its tokens itself. Only then is there a console: the page has no way
	// to sign a person in at an identity provider.
	OwnTokens bool
	// Amounts say what amounts are in.
	Amounts openapi.Amounts
	Local   Local
}

// Local is what only an exchange on the machine of its user offers. Each may be nil.
type Local struct {
	// Link signs a person in once.
	Link *Link
	// Seed fills the exchange with an invented book, as the caller with the token.
	Seed func(ctx context.Context, token string) error
}

// Pages returns the handlers of the console by their whole path. Where there is no console, the one at Path says why.
func Pages(config Config) map[string]http.Handler {
	why := ""
	switch {
	case page == nil:
		why = "This gateway was built without the console."
	case !config.OwnTokens:
		why = "The console is off: it works only with an exchange that signs its tokens itself (exchange run, " +
			"without an identity provider)."
	}
	if why != "" {
		return map[string]http.Handler{Path: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			problem.Write(w, problem.New(problem.NotFound, why))
		})}
	}
	all := page(config)
	if config.Local.Link != nil {
		all[signInPath] = config.Local.Link
	}
	if config.Local.Seed != nil {
		all[seedPath] = seed(config.Local.Seed)
	}
	return all
}

// page returns the handlers of the files of the page, by their whole path. It is nil in a build without the console.
var page func(Config) map[string]http.Handler
