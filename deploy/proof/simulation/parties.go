package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// people is the number of persons. All callers record the same ones.
const people = 4

// partyBook maps identity numbers to the ids in the responses.
type partyBook map[string][]string

// workOnParties records the same few persons as the other callers, some with a key. It repeats a request until a
// response says that the person is recorded.
func (c *caller) workOnParties(ctx context.Context, number int) {
	for i := range 2 + c.random.IntN(4) {
		pause(ctx, time.Duration(c.random.Int64N(int64(800*time.Millisecond))))
		identity := fmt.Sprint(c.random.IntN(people))
		var header []string
		if c.random.IntN(2) == 0 {
			header = []string{"Idempotency-Key", fmt.Sprintf("key-%d-%d", number, i)}
		}
		body := fmt.Sprintf(
			`{"firstName":"Ada","lastName":"Example","dob":"1990-12-10","idType":"passport","idNumber":%q,"address":{"city":"London","country":"GB"}}`, identity)
		c.person(ctx, identity, body, header)
	}
}

func (c *caller) person(ctx context.Context, identity, body string, header []string) {
	got := c.repeat(ctx, patience, "parties", fmt.Sprint("POST personal ", identity, header), "/personal", body,
		header...)
	switch got.status {
	case http.StatusCreated, http.StatusOK:
		c.book.parties[identity] = append(c.book.parties[identity], got.member("id"))
	case http.StatusConflict:
		c.book.parties[identity] = append(c.book.parties[identity], got.member("existingId"))
	default:
		c.complain("POST /personal of %s, sent up to %d times: %d %s", identity, patience, got.status, got.body)
	}
}

// checkParties expects one record of each person, with the id that every caller got.
func (x *exchange) checkParties(complain func(string, ...any)) {
	stored := make(map[string][]string)
	for _, doc := range x.store.Documents("personal") {
		var person struct{ ID, IDNumber string }
		if err := json.Unmarshal(doc.Body, &person); err != nil {
			complain("person %s cannot be read: %v", doc.ID, err)
		}
		stored[person.IDNumber] = append(stored[person.IDNumber], person.ID)
	}
	for identity, ids := range stored {
		if len(ids) > 1 {
			complain("person %s is recorded %d times", identity, len(ids))
		}
	}
	for identity, told := range x.book.parties {
		for _, id := range told {
			if !slices.Contains(stored[identity], id) {
				complain("a response said that person %s is %q, but it is %q", identity, id, stored[identity])
			}
		}
	}
}
