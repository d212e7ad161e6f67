// Package auth verifies bearer tokens, and issues them for exchanges that have no identity provider.
//
// golang-jwt parses tokens and verifies their signatures, and jwx parses sets of keys. A client of such sets (keyfunc,
// the cache of jwx) would take keyring.go and leave the rest. It is not used because it either keeps keys that the
// provider has withdrawn, or has callers wait while the look-up of an unknown key is held back. What no library has is
// which claims a token must bear, how its scopes are found, and the refusals.
//
// Its files, in the order in which a token meets them:
//
//	signer.go     issues tokens where there is no identity provider
//	verifier.go   finds the caller of a request by its token, and remembers tokens that it has verified
//	challenge.go  what every refusal says in the header WWW-Authenticate
//	header.go     the header of a token
//	keyring.go    the keys of the identity provider, read again and again
//	keys.go       reads a set of keys, as JWKS or PEM
//	claims.go     what a token says: its times, the caller, the scopes and the organisation
//	foreign.go    says in the log that tokens come from another issuer than the one that is set
package auth
