package gateway

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
)

// metadataPath is where an OAuth 2.0 client finds out who issues tokens for the exchange (RFC 9728, section 3).
const metadataPath = "/.well-known/oauth-protected-resource"

// resourceMetadata describes the exchange to OAuth 2.0 clients (RFC 9728, section 2).
type resourceMetadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	Scopes               []string `json:"scopes_supported"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
	Documentation        string   `json:"resource_documentation"`
}

// metadata returns the page of the metadata. The issuer is named only if it is a URL, as those of identity providers
// are.
func metadata(publicURL, issuer string) (http.Handler, error) {
	publicURL = strings.TrimSuffix(publicURL, "/")
	described := resourceMetadata{
		Resource: publicURL, Scopes: []string{ScopeDeveloper, ScopeAdmin}, BearerMethods: []string{"header"},
		Name: "Insurance Exchange Service", Documentation: publicURL + "/docs",
	}
	if _, is := webURL(issuer); is {
		described.AuthorizationServers = []string{issuer}
	}
	text, err := json.Marshal(described)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = w.Write(text) // a client that went away is no fault of the gateway
	}), nil
}

// metadataURL returns the URL of the metadata of the exchange at a URL.
func metadataURL(publicURL string) string { return strings.TrimSuffix(publicURL, "/") + metadataPath }

// checkPublicURL returns an error if clients could not reach the exchange by the URL. It has no path, because the
// gateway serves the paths of the interface at its root.
func checkPublicURL(text string) error {
	if u, is := webURL(text); !is || u.User != nil || strings.TrimSuffix(text, "/") != u.Scheme+"://"+u.Host {
		return fmt.Errorf("%q is not the URL of an exchange; give a scheme and a host without a path, such as "+
			"https://exchange.example", text)
	}
	return nil
}
