package client

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// keys answers the Idempotency-Keys of an import's records. A key comes from the record's resource and JSON value, and
// from how many records of the same value came before it: whatever the order of the rows, whichever of them were
// corrected or taken out, a record that was imported once has the key that it had. Line numbers would not do that.
type keys struct {
	scope string
	seen  map[[sha256.Size]byte]int
}

// newKeys answers the keys of a resource. Batches of different names have different keys.
func newKeys(resource, batch string) *keys {
	return &keys{scope: fmt.Sprintf("%q %q", resource, batch), seen: map[[sha256.Size]byte]int{}}
}

// next answers the key of the next record.
func (k *keys) next(record []byte) string {
	value := jsontext.Value(record).Clone()
	// What is no JSON is refused whatever its key is. Digits stay: 1.0 and 1.00 are not the same amount to everybody.
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		value = record
	}
	content := sha256.Sum256(value)
	k.seen[content]++
	key := sha256.Sum256(fmt.Appendf(nil, "%s %x %d", k.scope, content, k.seen[content]))
	return "import-" + hex.EncodeToString(key[:])
}
