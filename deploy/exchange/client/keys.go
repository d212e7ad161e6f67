package client

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// keys makes the Idempotency-Keys of the records of an import. A key follows from the resource, from the JSON value
// of the record, and from the number of records with the same value before it. So a record keeps its key when rows
// are reordered, corrected or removed, which would not be the case if the key followed from the line number.
type keys struct {
	scope string
	seen  map[[sha256.Size]byte]int
}

// newKeys returns the keys for records of a resource. Batches with different names have different keys.
func newKeys(resource, batch string) *keys {
	return &keys{scope: fmt.Sprintf("%q %q", resource, batch), seen: map[[sha256.Size]byte]int{}}
}

// next returns the key of the next record.
func (k *keys) next(record []byte) string {
	value := jsontext.Value(record).Clone()
	// A record that is no JSON is refused with any key. Digits are kept, because 1.0 and 1.00 may mean different
	// things.
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		value = record
	}
	content := sha256.Sum256(value)
	k.seen[content]++
	key := sha256.Sum256(fmt.Appendf(nil, "%s %x %d", k.scope, content, k.seen[content]))
	return "import-" + hex.EncodeToString(key[:])
}
