package webhook

import (
	"slices"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/once"
)

// use is an action that a caller made with an Idempotency-Key.
type use struct {
	Key history.UsedKey `json:"key"`
	// Delivery is what became of a test event.
	Delivery *beyond.WebhookDelivery `json:"delivery,omitempty"`
}

// done returns the earlier action with the key of a request, nil if there is none. Errors: the key was used for
// another.
func (e *endpoint) done(by *once.Once) (*use, error) {
	for i := range e.Used {
		if made, err := by.Made(&e.Used[i].Key); made || err != nil {
			return &e.Used[i], err
		}
	}
	return nil, nil
}

// keep remembers an action that was made with a key.
func (e *endpoint) keep(by *once.Once, delivery *beyond.WebhookDelivery) {
	if by != nil {
		e.Used = slices.Insert(e.Used, 0, use{*by.Key, delivery})
		e.Used = e.Used[:min(len(e.Used), mostUsed)]
	}
}
