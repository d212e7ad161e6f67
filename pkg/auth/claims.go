package auth

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"insurance.example/exchange/pkg/request"
)

// claims holds the members of a token that are read.
type claims struct {
	jwt.RegisteredClaims
	ClientID string    `json:"client_id,omitempty"`
	Scope    scopeList `json:"scope,omitempty"`
	Scp      scopeList `json:"scp,omitempty"`
}

// caller returns the caller that the claims name: the subject, else the client (RFC 9068, section 2.2).
func (c *claims) caller() request.Caller {
	caller := request.Caller{Subject: c.Subject, Scopes: c.Scope}
	if caller.Subject == "" {
		caller.Subject = c.ClientID
	}
	if len(caller.Scopes) == 0 {
		caller.Scopes = c.Scp
	}
	return caller
}

// scopeList is a list of scopes: one string with spaces between them (RFC 8693), or an array, as some providers write it.
type scopeList []string

func (l *scopeList) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = strings.Fields(text)
	} else if err := json.Unmarshal(data, (*[]string)(l)); err != nil {
		return err
	}
	// A scope must fit into the header that carries scopes to a service, separated by spaces.
	*l = slices.DeleteFunc(*l, func(scope string) bool {
		return scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' })
	})
	return nil
}

// MarshalJSON returns the form with spaces.
func (l scopeList) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Join(l, " ")) }
