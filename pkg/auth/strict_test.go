package auth_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

// signText returns a token of this header and these claims as they are written, signed with RS256.
func signText(t *testing.T, key *rsa.PrivateKey, header, claims string) string {
	t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(header)) + "." + encode([]byte(claims))
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + encode(signature)
}

// TestTokensAreReadStrictly: the signature of every token here is right.
func TestTokensAreReadStrictly(t *testing.T) {
	private, _, path := rsaFile(t)
	v := verifier(t, "--jwt-keys", path, "--jwt-issuer", "https://id.example", "--jwt-audience", "exchange")
	const header = `{"alg":"RS256","typ":"JWT"}`
	exp := time.Now().Add(time.Hour).Unix()
	claims := fmt.Sprintf(
		`{"iss":"https://id.example","aud":["other","exchange"],"sub":"broker-1","exp":%d,"scope":"std.developer"}`, exp)
	with := func(text, old, replacement string) string {
		t.Helper()
		if strings.Count(text, old) != 1 {
			t.Fatalf("%q is not once in %s", old, text)
		}
		return strings.Replace(text, old, replacement, 1)
	}

	for name, claims := range map[string]string{
		"as it is":             claims,
		"fraction of a second": with(claims, fmt.Sprint(exp), fmt.Sprint(exp)+".25"),
		"exponent":             with(claims, fmt.Sprint(exp), "4e9"),
		"scopes as an array":   with(claims, `"std.developer"`, `["std.developer"]`),
		"scp as an array":      with(claims, `"scope":"std.developer"`, `"scp":["std.developer"]`),
		"claims of other systems": with(claims, `"sub"`,
			`"groups":{"a":[1]},"SCOPE":"std.admin","Scp":["std.admin"],"sub"`),
		"null is absent": with(claims, `"sub"`, `"nbf":null,"scp":null,"sub"`),
	} {
		t.Run(name, func(t *testing.T) {
			caller, err := verify(v, signText(t, private, header, claims))
			if err != nil {
				t.Fatal(err)
			}
			if caller.Subject != "broker-1" || strings.Join(caller.Scopes, " ") != "std.developer" {
				t.Fatalf("caller %+v", caller)
			}
		})
	}

	for name, token := range map[string]struct{ header, claims string }{
		"exp in capitals":              {header, with(claims, `"exp"`, `"EXP"`)},
		"iss in capitals":              {header, with(claims, `"iss"`, `"Iss"`)},
		"aud in capitals":              {header, with(claims, `"aud"`, `"AUD"`)},
		"exp as text":                  {header, with(claims, fmt.Sprint(exp), fmt.Sprintf("%q", fmt.Sprint(exp)))},
		"exp beyond all dates":         {header, with(claims, fmt.Sprint(exp), "1e300")},
		"nbf as text":                  {header, with(claims, `"sub"`, `"nbf":"1","sub"`)},
		"scope twice":                  {header, with(claims, `"scope"`, `"scope":"std.admin","scope"`)},
		"sub twice":                    {header, with(claims, `"sub"`, `"sub":"broker-2","sub"`)},
		"member twice, further inside": {header, with(claims, `"sub"`, `"groups":{"a":1,"a":2},"sub"`)},
		"scope as an object":           {header, with(claims, `"std.developer"`, `{"std.developer":true}`)},
		"scope with null":              {header, with(claims, `"std.developer"`, `["std.developer",null]`)},
		"sub as a number":              {header, with(claims, `"broker-1"`, `1`)},
		"text that is not UTF-8":       {header, with(claims, "broker-1", "broker-\xff")},
		"text after the claims":        {header, claims + `{}`},
		"crit":                         {with(header, `"typ"`, `"crit":["b64"],"b64":false,"typ"`), claims},
		"crit of a known member":       {with(header, `"typ"`, `"crit":["typ"],"typ"`), claims},
		"crit null":                    {with(header, `"typ"`, `"crit":null,"typ"`), claims},
		"b64 false":                    {with(header, `"typ"`, `"b64":false,"typ"`), claims},
		"alg twice":                    {with(header, `"typ"`, `"alg":"RS256","typ"`), claims},
		"alg in capitals":              {with(header, `"alg"`, `"ALG"`), claims},
		"kid as a number":              {with(header, `"typ"`, `"kid":1,"typ"`), claims},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := verify(v, signText(t, private, token.header, token.claims))
			refused(t, err, `error="invalid_token"`)
		})
	}

	t.Run("signature with padding", func(t *testing.T) {
		_, err := verify(v, signText(t, private, header, claims)+"=")
		refused(t, err, `error="invalid_token"`)
	})
}

// TestScopesOfChosenClaims: the first claim that has scopes decides, and each is read strictly.
func TestScopesOfChosenClaims(t *testing.T) {
	private, _, path := rsaFile(t)
	v := verifier(t, "--jwt-keys", path, "--jwt-scopes", "scp,roles")
	token := func(scopes string) string {
		return signText(t, private, `{"alg":"RS256"}`,
			fmt.Sprintf(`{"sub":"broker-1","exp":%d%s}`, time.Now().Add(time.Hour).Unix(), scopes))
	}
	for scopes, want := range map[string]string{
		``:                                  "",
		`,"scope":"a"`:                      "",
		`,"Scp":["a"],"ROLES":["a"]`:        "",
		`,"roles":["a","b"]`:                "a b",
		`,"roles":["a"],"scp":"b c"`:        "b c",
		`,"roles":["a"],"scp":""`:           "a",
		`,"roles":["a"],"scp":null`:         "a",
		`,"roles":["with space","a\u0000"]`: "",
	} {
		caller, err := verify(v, token(scopes))
		if err != nil || strings.Join(caller.Scopes, " ") != want {
			t.Errorf("%s: %+v %v, want the scopes %q", scopes, caller, err, want)
		}
	}
	for _, scopes := range []string{`,"roles":{"a":true}`, `,"scp":"a","roles":[1]`, `,"roles":["a"],"roles":["b"]`} {
		_, err := verify(v, token(scopes))
		refused(t, err, `error="invalid_token"`)
	}
}

func TestTypesOfTokens(t *testing.T) {
	private, _, path := rsaFile(t)
	claims := fmt.Sprintf(`{"sub":"broker-1","exp":%d}`, time.Now().Add(time.Hour).Unix())
	access := verifier(t, "--jwt-keys", path, "--jwt-type", "at+jwt")
	for name, header := range map[string]string{
		"access token":         `{"alg":"RS256","typ":"at+jwt"}`,
		"the whole media type": `{"alg":"RS256","typ":"application/AT+JWT"}`,
	} {
		if _, err := verify(access, signText(t, private, header, claims)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, header := range []string{`{"alg":"RS256","typ":"JWT"}`, `{"alg":"RS256"}`,
		`{"alg":"RS256","TYP":"at+jwt"}`} {
		_, err := verify(access, signText(t, private, header, claims))
		refused(t, err, "of a type that is not accepted")
	}
	if _, err := verify(verifier(t, "--jwt-keys", path),
		signText(t, private, `{"alg":"RS256","typ":"JWT"}`, claims)); err != nil {
		t.Errorf("without the setting: %v", err)
	}
}
