package e2e_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/anishathalye/porcupine"
)

// The operations of a history, and the records that they are on.
const (
	reading    = "read"       // any record
	replacing  = "PUT"        // a vehicle, with If-Match
	settling   = ":settle"    // a claim
	reopening  = ":reopen"    // a claim
	cancelling = ":cancel"    // a policy
	creating   = "keyed POST" // a vehicle, by its Idempotency-Key
)

// sending is what a caller sends. value is the content that it asks for: a vin, a payment or a reason. tag is its
// If-Match.
type sending struct{ operation, value, tag string }

// received is what the caller gets: a status, or 0 if no response came. value is the stored content in the response,
// and tag its ETag.
type received struct {
	status     int
	value, tag string
}

// content is the stored content of a record: for a claim its status and payments, for a policy its status, for a
// vehicle its vin, and for a key the body sent with it and the id of its record, each empty if there is none. tag is
// empty if no caller knows it.
type content struct{ value, tag string }

// recordModel decides which responses a record may give, if each request takes effect at one instant between its start
// and its end.
func recordModel(first content) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} },
		Step: func(state, input, output any) []any {
			var next []any
			for _, c := range following(state.(content), input.(sending), output.(received)) {
				next = append(next, c)
			}
			return next
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v gets %+v", input, output) },
	}
	return model.ToModel()
}

// following returns the possible contents after a request, given the content before and the response; none if the
// response is not possible.
func following(before content, sent sending, got received) []content {
	if sent.operation == reading {
		if got.status == 0 {
			return []content{before}
		}
		if got.value != before.value || before.tag != "" && got.tag != before.tag {
			return nil
		}
		return []content{{got.value, got.tag}}
	}
	if sent.operation == creating {
		return created(before, sent, got)
	}
	after, refusal := changed(before, sent)
	switch {
	case got.status == 0 && refusal == 0:
		return []content{before, {value: after}}
	case got.status == 0, refusal != 0 && got.status == refusal:
		return []content{before}
	case got.status == http.StatusOK && refusal == 0 && got.value == after && got.tag != before.tag:
		return []content{{after, got.tag}}
	default:
		return nil
	}
}

// changed returns the content after a change, or the status that refuses it.
func changed(before content, sent sending) (after string, refusal int) {
	status, payments, _ := strings.Cut(before.value, " ")
	switch {
	case sent.operation == replacing && sent.tag == before.tag:
		return sent.value, 0
	case sent.operation == replacing:
		return "", http.StatusPreconditionFailed
	case sent.operation == settling && status != "closed":
		return "closed " + payments + "+" + sent.value, 0
	case sent.operation == reopening && status == "closed":
		return "reopened " + payments, 0
	case sent.operation == cancelling && before.value == "in force":
		return "cancelled", 0
	default:
		return "", http.StatusConflict
	}
}

// created is following for a creation with a key. The tag of the content is the id of the record.
func created(before content, sent sending, got received) []content {
	switch {
	case before.value == "" && got.status == 0:
		return []content{before, {value: sent.value}}
	case before.value == "" && got.status == http.StatusCreated:
		return []content{{sent.value, got.tag}}
	case before.value == sent.value && got.status == http.StatusOK && (before.tag == "" || before.tag == got.tag):
		return []content{{sent.value, got.tag}}
	case before.value != "" && before.value != sent.value &&
		got.status == http.StatusUnprocessableEntity, before.value != "" && got.status == 0:
		return []content{before}
	default:
		return nil
	}
}
