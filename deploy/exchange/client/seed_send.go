package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/deploy/exchange/client/book"
)

// rows returns the rows of the premium bordereau.
func (c *caller) rows(ctx context.Context) (all []book.Record, err error) {
	for page, err := range c.pages(ctx, "/premiumBordereau", url.Values{"limit": {strconv.Itoa(largestPage)}}) {
		if err != nil {
			return nil, err
		}
		for _, text := range page.records {
			var row book.Record
			if err := json.Unmarshal(text, &row); err != nil {
				return nil, c.failed(err)
			}
			all = append(all, row)
		}
	}
	return all, nil
}

// readRecord returns what a path has, and nil if there is nothing.
func (c *caller) readRecord(ctx context.Context, path string) (book.Record, error) {
	got, err := c.send(ctx, request{method: http.MethodGet, path: path})
	if refused, is := errors.AsType[*refusal](err); is && refused.status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var record book.Record
	if err := json.Unmarshal(got.body, &record); err != nil {
		return nil, c.failed(err)
	}
	return record, nil
}

// sendRecord sends a record, and reports whether the exchange did something. If a party with the same identity exists
// already, it returns that party.
func (c *caller) sendRecord(ctx context.Context, path, key string, body book.Record) (book.Record, bool, error) {
	r := request{method: http.MethodPost, path: path, header: map[string]string{keyHeader: key}}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, false, err
		}
		r.body = text
	}
	if key == "" {
		r.method, r.header = http.MethodPut, nil
	}
	got, err := c.send(ctx, r)
	if refused, is := errors.AsType[*refusal](err); is {
		var conflict struct {
			ExistingID string `json:"existingId"`
		}
		if refused.status == http.StatusConflict && json.Unmarshal(refused.problem.Further, &conflict) == nil &&
			conflict.ExistingID != "" {
			got, err = c.send(ctx, request{method: http.MethodGet, path: path + "/" + conflict.ExistingID})
			if err == nil {
				got.header = http.Header{"Idempotency-Replayed": {"true"}}
			}
		}
	}
	if err != nil {
		return nil, false, describeStep(err, r)
	}
	var record book.Record
	if err := json.Unmarshal(got.body, &record); err != nil {
		return nil, false, c.failed(err)
	}
	return record, !got.replayed(), nil
}

// sendStatement sends a file as CSV. Sent twice, it is one statement.
func (c *caller) sendStatement(ctx context.Context, profile string, file []byte) (book.Record, error) {
	r := request{
		method: http.MethodPost, path: "/x/reconciliation/statement", query: url.Values{"profile": {profile}},
		body: file, header: map[string]string{"Content-Type": "text/csv"},
	}
	got, err := c.send(ctx, r)
	if err != nil {
		return nil, describeStep(err, r)
	}
	var record book.Record
	if err := json.Unmarshal(got.body, &record); err != nil {
		return nil, c.failed(err)
	}
	return record, nil
}

// describeStep adds to an error which request was refused.
func describeStep(err error, r request) error {
	if _, is := errors.AsType[*refusal](err); !is {
		return err
	}
	return fmt.Errorf("%s %s: %w", r.method, strings.TrimSuffix(r.path, "/"), err)
}
