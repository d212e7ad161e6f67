package webhook

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/services/feed/merged"
)

// Test sends a test event and returns what became of it. With the key of an earlier test it returns what became of that
// one; two that come at once may both be sent. Errors: as Get, those of by.
func (h *Hooks) Test(ctx context.Context, name string, by *once.Once) (beyond.WebhookDelivery, error) {
	e, err := h.existing(ctx, name)
	if err != nil {
		return beyond.WebhookDelivery{}, err
	}
	if was, err := e.done(by); err != nil || was != nil && was.Delivery != nil {
		if err != nil {
			return beyond.WebhookDelivery{}, err
		}
		return *was.Delivery, nil
	}
	d, _, err := h.test(ctx, e)
	if err != nil {
		return d, err
	}
	_, err = h.change(ctx, name, func(e *endpoint) error {
		e.note(d)
		switch was, err := e.done(by); {
		case err != nil:
			return err
		case was != nil && was.Delivery != nil:
			d = *was.Delivery
		default:
			e.keep(by, &d)
		}
		return nil
	})
	return d, refusal(err, name)
}

// tried returns problems.WebhookRefused unless the receiver of a webhook accepts a test event.
func (h *Hooks) tried(ctx context.Context, e *endpoint) error {
	d, accepted, err := h.test(ctx, e)
	if err != nil || accepted {
		return err
	}
	why := d.Fault
	if why == "" {
		why = fmt.Sprintf("its response has the status %d", d.Status)
	}
	return problem.New(problems.WebhookRefused, "The receiver did not accept the test event: "+why+". It must respond "+
		"with 2xx within 10 seconds to a POST that is signed with the webhook's secret. Nothing was written.")
}

// test sends a test event.
func (h *Hooks) test(ctx context.Context, e *endpoint) (d beyond.WebhookDelivery, accepted bool, err error) {
	event := beyond.FeedEvent{
		SpecVersion: "1.0", ID: "test-" + uuid.NewString(), Source: path + e.Name, Type: testType,
		Time: scalar.Instant(h.now()), DataContentType: "application/json",
	}
	body, err := json.Marshal(event)
	if err != nil {
		return d, false, err
	}
	got := h.send(ctx, e.URL, e.secretsAt(h.now()), event.ID, body)
	return got.delivery(event.ID, event.Type, h.now()), got.accepted(), ctx.Err()
}

// testType is the type of a test event, and path begins its source.
const (
	testType = merged.TypePrefix + "webhook.test"
	path     = "/x/webhook/"
)
