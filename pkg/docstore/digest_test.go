package docstore_test

import (
	"bytes"
	"errors"
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

func TestADigestVouchesForItsVersion(t *testing.T) {
	body, state := []byte(`{"premium":420.50}`), []byte(`{"resource":"policy"}`)
	d := docstore.NewDigest(3, body, state, docstore.NewDigest(2, nil, nil, nil))
	for name, c := range map[string]struct {
		digest      docstore.Digest
		version     int64
		body, state string
		altered     bool
	}{
		"as it was written":                  {d, 3, string(body), string(state), false},
		"a byte of the body":                 {d, 3, `{"premium":920.50}`, string(state), true},
		"the same value in other words":      {d, 3, `{"premium": 420.50}`, string(state), true},
		"the state":                          {d, 3, string(body), `{"resource":"policies"}`, true},
		"body and state changed places":      {d, 3, string(state), string(body), true},
		"no state":                           {d, 3, string(body), "", true},
		"no digest":                          {nil, 3, "{}", "", false},
		"a later version without digest":     {d, 4, "{}", "", false},
		"an earlier version was put back":    {d, 2, string(body), string(state), true},
		"a digest that was cut":              {d[:100], 3, string(body), string(state), true},
		"a digest in which a byte is others": {changed(d, 20), 3, string(body), string(state), true},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.digest.Check(c.version, []byte(c.body), []byte(c.state))
			altered, is := errors.AsType[*docstore.AlteredError](err)
			if is != c.altered || is && altered.Version != c.version {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestDigestsAreAChain(t *testing.T) {
	first := docstore.NewDigest(1, []byte("{}"), nil, nil)
	second := docstore.NewDigest(2, []byte("{}"), nil, first)
	if first.Prior() != 0 || second.Prior() != 1 || !second.Follows(first) {
		t.Errorf("the second follows version %d", second.Prior())
	}
	if other := docstore.NewDigest(1, []byte(`{"premium":1}`), nil, nil); second.Follows(other) {
		t.Error("the second follows another first")
	}
	if second.Follows(nil) || second.Follows(changed(first, 104)) || second.Of(1) != nil || second.Of(2) == nil {
		t.Error("a digest is taken for another")
	}
}

// changed returns a digest with another byte.
func changed(d docstore.Digest, at int) docstore.Digest {
	other := append(docstore.Digest(nil), d...)
	other[at]++
	return other
}

// BenchmarkDigest makes the digest of a record of usual size, as each write does.
func BenchmarkDigest(b *testing.B) {
	body, state := bytes.Repeat([]byte("x"), 1000), bytes.Repeat([]byte("y"), 300)
	before := docstore.NewDigest(1, body, state, nil)
	for b.Loop() {
		docstore.NewDigest(2, body, state, before)
	}
}
