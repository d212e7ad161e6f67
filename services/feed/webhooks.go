package feed

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/services/feed/merged"
	"insurance.example/exchange/services/feed/webhook"
)

// webhooks are the operations about webhooks.
func (f *feed) webhooks(s *rest.Server) []rest.Extension {
	const of = rest.ExtensionPrefix + "/webhook"
	const one = of + "/{name}"
	shown := reflect.TypeFor[beyond.WebhookShown]()
	named := func(x rest.Extension) rest.Extension {
		x.Parameters = append(x.Parameters, "name")
		x.Refuses = append(x.Refuses, problem.NotFound)
		return x
	}
	return []rest.Extension{{
		Path: of, Method: http.MethodGet, ID: "listWebhooks", Summary: "The webhooks, by name",
		Response: reflect.TypeFor[beyond.Webhooks](),
		Serve:    func(c *gin.Context, _ any) (any, error) { return f.hooks.List(c.Request.Context()) },
	}, named(rest.Extension{
		Path: one, Method: http.MethodGet, ID: "readWebhook", Summary: "A webhook, and how far it is",
		Response: shown, Tagged: true,
		Serve: func(c *gin.Context, _ any) (any, error) {
			return tagged(c)(f.hooks.Get(c.Request.Context(), c.Param("name")))
		},
	}), {
		Path: one, Method: http.MethodPut, Writes: true, ID: "putWebhook", Summary: "Make a webhook, or replace it",
		Details: "Every event of the feed that it selects is sent to its URL by POST, in order, at least once, and " +
			"signed as Standard Webhooks has it. A response that is not 2xx within 10 s has the event sent again " +
			"after 5 s, 30 s, 2 min, 10 min, 1 h, and then each hour for 72 h, by the exchange's clock; later where " +
			"Retry-After of a 429 or 503 says so, up to 1 h. Then, or after a 410, the webhook is paused. Nothing is " +
			"passed over. A new URL or secret must accept a signed test event first. There are " +
			"32 webhooks at most.",
		Body: reflect.TypeFor[beyond.Webhook](), Response: shown, Tagged: true, Parameters: []string{"name"},
		Refuses: []problem.Kind{
			problem.CursorExpired, problem.Invalid, problems.WebhookRefused, problems.TooManyWebhooks,
		},
		Serve: func(c *gin.Context, body any) (any, error) { return f.putWebhook(c, body.(*beyond.Webhook)) },
	}, named(rest.Extension{
		Path: one, Method: http.MethodDelete, Writes: true, ID: "deleteWebhook",
		Summary: "Remove a webhook; the response is what it was", Response: shown, Tagged: true,
		Serve: func(c *gin.Context, _ any) (any, error) {
			was, tag, err := f.hooks.Delete(c.Request.Context(), c.Param("name"), conditionsOf(c))
			return tagged(c)(was, tag, err)
		},
	}), named(f.change(s, one, "pause", "Have nothing delivered until the webhook is resumed; nothing is passed over",
		f.hooks.Pause)),
		named(f.change(s, one, "resume", "Have events delivered again, from the one that is next", f.hooks.Resume)),
		named(rest.Extension{
			Path: one + ":replay", Method: http.MethodPost, Writes: true, ID: "replayWebhook",
			Summary: "Have the events after a cursor delivered, again or for the first time",
			Details: "With `now` those that were not delivered are passed over.",
			Body:    reflect.TypeFor[beyond.WebhookReplay](), Response: shown, Tagged: true,
			Parameters: keyed,
			Refuses:    append([]problem.Kind{problem.CursorExpired, problem.Invalid}, keyRefuses...),
			Serve: func(c *gin.Context, body any) (any, error) {
				ctx, after := c.Request.Context(), body.(*beyond.WebhookReplay).After
				places, late := f.placesOf(ctx, "/after", after)
				if refused := (*problem.Error)(nil); errors.As(late, &refused) && refused.Kind == problem.Invalid {
					return nil, late
				}
				by, err := onceOf(s, c, "replay", after)
				if err != nil {
					return nil, err
				}
				return changed(c, by)(f.hooks.Replay(ctx, c.Param("name"), places, late, by, conditionsOf(c)))
			},
		}),
		named(rest.Extension{
			Path: one + ":test", Method: http.MethodPost, Writes: true, ID: "testWebhook",
			Summary:  "Send a test event to the receiver, and see what comes back",
			Response: reflect.TypeFor[beyond.WebhookDelivery](), Parameters: keyed, Refuses: keyRefuses,
			Serve: func(c *gin.Context, _ any) (any, error) {
				by, err := onceOf(s, c, "test", "")
				if err != nil {
					return nil, err
				}
				delivery, err := f.hooks.Test(c.Request.Context(), c.Param("name"), by)
				by.Mark(c)
				return delivery, err
			},
		}),
		named(rest.Extension{
			Path: one + "/deliveries", Method: http.MethodGet, ID: "listWebhookDeliveries",
			Summary:  "The last 20 attempts of a webhook, newest first",
			Response: reflect.TypeFor[beyond.WebhookDeliveries](),
			Serve: func(c *gin.Context, _ any) (any, error) {
				return f.hooks.Deliveries(c.Request.Context(), c.Param("name"))
			},
		}),
	}
}

// keyed are the parameters of an action, and keyRefuses what it refuses on account of its key.
var (
	keyed      = []string{"IdempotencyKey"}
	keyRefuses = []problem.Kind{problem.BadHeader, problem.KeyReused}
)

// change is the operation of a change without a body.
func (f *feed) change(s *rest.Server, one, action, summary string, how func(
	context.Context, string, *once.Once, webhook.Condition) (beyond.WebhookShown, string, error),
) rest.Extension {
	return rest.Extension{
		Path: one + ":" + action, Method: http.MethodPost, Writes: true, ID: action + "Webhook", Summary: summary,
		Response: reflect.TypeFor[beyond.WebhookShown](), Tagged: true, Parameters: keyed, Refuses: keyRefuses,
		Serve: func(c *gin.Context, _ any) (any, error) {
			by, err := onceOf(s, c, action, "")
			if err != nil {
				return nil, err
			}
			return changed(c, by)(how(c.Request.Context(), c.Param("name"), by, conditionsOf(c)))
		},
	}
}

// onceOf returns the Idempotency-Key of an action, nil where the request has none. sent is what its body says.
func onceOf(s *rest.Server, c *gin.Context, action, sent string) (*once.Once, error) {
	return once.Of(s, c, "webhook/"+c.Param("name")+":"+action, sent)
}

// changed returns the response to an action.
func changed(c *gin.Context, by *once.Once) func(beyond.WebhookShown, string, error) (any, error) {
	return func(webhook beyond.WebhookShown, tag string, err error) (any, error) {
		by.Mark(c)
		return tagged(c)(webhook, tag, err)
	}
}

// tagged returns a response with its entity tag.
func tagged(c *gin.Context) func(beyond.WebhookShown, string, error) (any, error) {
	return func(webhook beyond.WebhookShown, tag string, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		c.Header("ETag", tag)
		return webhook, nil
	}
}

// conditionsOf returns the conditions of a request.
func conditionsOf(c *gin.Context) webhook.Condition {
	return func(tag string) error { return condition.Judge(c.Request.Header, tag) }
}

func (f *feed) putWebhook(c *gin.Context, want *beyond.Webhook) (any, error) {
	ctx, name := c.Request.Context(), c.Param("name")
	if err := f.hooks.Check(name, want); err != nil {
		return nil, err
	}
	var from merged.Places
	if want.From != "" {
		var err error
		if from, err = f.placesOf(ctx, "/from", want.From); err != nil {
			return nil, err
		}
	}
	return tagged(c)(f.hooks.Put(ctx, name, *want, from, conditionsOf(c)))
}

// placesOf returns the places of a cursor of the feed, or those at the end, that a member of a body names. Errors:
// problem.Invalid, problem.CursorExpired, problem.Unavailable.
func (f *feed) placesOf(ctx context.Context, pointer, after string) (merged.Places, error) {
	if after == fromNow {
		at, err := f.reader.Now(ctx)
		if err != nil {
			return nil, problem.Outage(err)
		}
		return at, nil
	}
	given, err := f.open(ctx, after)
	switch {
	case errors.Is(err, query.ErrSeal):
		return nil, problem.New(problem.Invalid, "The cursor cannot be read.").At(pointer, notACursor)
	case err != nil:
		return nil, err
	case given.age(f.now()) > f.retention:
		return nil, f.expired(ctx, tooOld, given)
	}
	if given.At == nil {
		given.At = merged.Places{} // the oldest event
	}
	return given.At, nil
}
