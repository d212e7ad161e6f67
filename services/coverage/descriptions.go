package coverage

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/pkg/docstore"
)

// descriptions caches what the service has sent to other services about policies. A description follows from one stored
// version of its policy, which never changes. So it is valid as long as the policy has that version.
type descriptions struct {
	known *lru.Cache[uuid.UUID, description]
}

// description is the JSON of an internalapi.Policy, and the version of the policy.
type description struct {
	version int64
	text    []byte
}

// described is how many descriptions are cached. Each takes some hundred bytes.
const described = 10_000

func newDescriptions() (*descriptions, error) {
	known, err := lru.New[uuid.UUID, description](described)
	return &descriptions{known}, err
}

// of returns the description of a policy of a line, as JSON.
func (d *descriptions) of(doc docstore.Document, line opened) ([]byte, error) {
	if known, ok := d.known.Get(doc.ID); ok && known.version == doc.Version {
		return known.text, nil
	}
	facts, err := line.describe(doc)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return nil, fmt.Errorf("describing policy %s: %w", doc.ID, err)
	}
	d.known.Add(doc.ID, description{doc.Version, text})
	return text, nil
}
