package copies

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/number"
)

// TestCopyHasItsOwnIDAndNumber copies columns of a policy and of a claim.
func TestCopyHasItsOwnIDAndNumber(t *testing.T) {
	former, id := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	issued := number.Of(Policy, former)
	of := row{former: former, values: []any{former[:], int64(1), `{"id":"` + former.String() + `","policyNumber":"` +
		issued + `","holder":"A"}`, issued, nil, number.Of(Claim, former)}}
	made := of.another(id, `"holder":"A"`, `"holder":"B"`)
	var body struct{ ID, PolicyNumber, Holder string }
	if err := json.Unmarshal([]byte(made[2].(string)), &body); err != nil {
		t.Fatal(err)
	}
	if body.ID != id.String() || body.PolicyNumber != number.Of(Policy, id) || body.Holder != "B" ||
		made[3] != body.PolicyNumber {
		t.Errorf("the copy is %v, want the id %v and its number", made, id)
	}
	if key, is := made[0].([]byte); !is || uuid.UUID(key) != id || made[1] != int64(1) || made[4] != nil ||
		made[5] != number.Of(Claim, id) {
		t.Errorf("the copy is %v, want the key %v and the rest as it was", made, id)
	}
}
