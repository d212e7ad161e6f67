package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/services/feed/merged"
)

// mostTypes is how many types of events a webhook may name.
const mostTypes = 32

// Config is what Hooks need.
type Config struct {
	Reader *merged.Reader
	// Resources are those whose records have events.
	Resources []string
	// Private allows addresses of private networks, and http.
	Private bool
	// Now is the time of the exchange, by which attempts are repeated. Wall is the time of the machine, which
	// signatures have, because receivers compare it with theirs.
	Now, Wall func() time.Time
	Log       *slog.Logger
	Metrics   prometheus.Registerer
	// Dial makes the connections to receivers; nil for those of the system, with the check of addresses.
	Dial Dial
}

// Hooks are the webhooks of an exchange. They are safe for concurrent use, once Open has returned.
type Hooks struct {
	reader    *merged.Reader
	resources []string
	private   bool
	now, wall func() time.Time
	log       *slog.Logger
	metrics   *metrics
	client    *http.Client
	// self names this replica.
	self string
	kept docstore.Kept[endpoint]
}

// New returns the webhooks of an exchange. Open prepares them, and Run delivers.
func New(c Config) *Hooks {
	if c.Dial == nil {
		c.Dial = dialer(c.Private)
	}
	return &Hooks{
		reader: c.Reader, resources: c.Resources, private: c.Private, now: c.Now, wall: c.Wall, log: c.Log,
		metrics: newMetrics(c.Metrics), client: newClient(c.Dial), self: uuid.NewString(),
	}
}

// Condition is the check of a request's conditions against the entity tag of a webhook, which is empty if there is
// none.
type Condition func(tag string) error

// names are the names that a webhook may have.
var names = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// List returns all webhooks, by name.
func (h *Hooks) List(ctx context.Context) (beyond.Webhooks, error) {
	all := beyond.Webhooks{Webhooks: []beyond.WebhookShown{}}
	hooks, err := h.find(ctx, nil)
	for _, e := range hooks {
		if e.Name != "" {
			all.Webhooks = append(all.Webhooks, e.shown())
		}
	}
	slices.SortFunc(all.Webhooks, func(a, b beyond.WebhookShown) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// Get returns a webhook and its entity tag. Errors: problem.NotFound, those of the store.
func (h *Hooks) Get(ctx context.Context, name string) (beyond.WebhookShown, string, error) {
	e, err := h.existing(ctx, name)
	if err != nil {
		return beyond.WebhookShown{}, "", err
	}
	return e.shown(), e.tag(), nil
}

// Deliveries returns the last attempts of a webhook. Errors: as Get.
func (h *Hooks) Deliveries(ctx context.Context, name string) (beyond.WebhookDeliveries, error) {
	e, err := h.existing(ctx, name)
	if err != nil {
		return beyond.WebhookDeliveries{}, err
	}
	return beyond.WebhookDeliveries{Deliveries: append([]beyond.WebhookDelivery{}, e.Deliveries...)}, nil
}

func (h *Hooks) existing(ctx context.Context, name string) (*endpoint, error) {
	e, err := h.get(ctx, name)
	if err == nil && e == nil {
		err = errUnknown
	}
	return e, refusal(err, name)
}

// refusal returns the problem of an error, or the error.
func refusal(err error, name string) error {
	switch {
	case errors.Is(err, errUnknown):
		return problem.New(problem.NotFound, "There is no webhook "+problem.Short(name)+". PUT makes it.")
	case errors.Is(err, errFull):
		return problem.New(problems.TooManyWebhooks, fmt.Sprintf(
			"There are %d webhooks, as many as there may be. Delete one, or replace one.", Most))
	}
	return err
}

// Check returns what is wrong with a webhook that a caller sends: problem.BadParameter, problem.Invalid, nil if
// nothing is.
func (h *Hooks) Check(name string, want *beyond.Webhook) error {
	if !names.MatchString(name) {
		return problem.New(problem.BadParameter, "A parameter has a value that it cannot have.").
			InParameter("name", "must have 1 to 64 letters, digits, points, hyphens and underscores")
	}
	wrong := problem.New(problem.Invalid, "The webhook cannot be as it is described.")
	note := func(pointer, reason string) {
		if reason != "" {
			wrong.At(pointer, reason)
		}
	}
	note("/url", wrongURL(want.URL, h.private))
	if want.Secret != "" {
		note("/secret", wrongSecret(want.Secret))
	}
	if len(want.Types) > mostTypes {
		note("/types", fmt.Sprintf("must have up to %d types", mostTypes))
		want.Types = want.Types[:mostTypes]
	}
	for i, t := range want.Types {
		note(fmt.Sprintf("/types/%d", i), merged.KnownType(t, h.resources))
	}
	if len(wrong.Violations) > 0 {
		return wrong
	}
	return nil
}

// Put makes a webhook, or replaces one. from are the places to begin at; nil for those where it is, or for the end of
// the logs. The receiver of a new URL, or with a new secret, must accept a signed test first. Errors: those of meets,
// problems.WebhookRefused, problems.TooManyWebhooks, problem.Unavailable, those of the store.
func (h *Hooks) Put(
	ctx context.Context, name string, want beyond.Webhook, from merged.Places, meets Condition,
) (webhook beyond.WebhookShown, tag string, err error) {
	err = docstore.Again(func() error {
		was, err := h.get(ctx, name)
		if err == nil {
			err = meets(tagOf(was))
		}
		if err != nil {
			return err
		}
		var e *endpoint
		secret := ""
		if was == nil {
			if want.Secret == "" {
				secret = newSecret()
			}
			e, err = h.make(ctx, name, want, secret, from)
		} else {
			e, err = h.replace(ctx, was, want, from)
		}
		switch {
		case errors.Is(err, errTaken), errors.Is(err, errEdited):
			return docstore.ErrStale
		case err != nil:
			return refusal(err, name)
		}
		webhook, tag = e.shown(), e.tag()
		webhook.Secret = secret
		return nil
	})
	return webhook, tag, err
}

// errEdited is the error of a change after another one that has come meanwhile.
var errEdited = errors.New("the webhook was changed meanwhile")

// tagOf returns the entity tag of a webhook, empty for none.
func tagOf(e *endpoint) string {
	if e == nil {
		return ""
	}
	return e.tag()
}

// make makes a webhook, with a secret that was made for it, or its own.
func (h *Hooks) make(
	ctx context.Context, name string, want beyond.Webhook, made string, from merged.Places,
) (e *endpoint, err error) {
	e = &endpoint{Name: name, URL: want.URL, Types: want.Types, At: from,
		Secrets: []secret{{Text: cmp.Or(made, want.Secret)}}}
	if from == nil {
		if e.At, err = h.reader.Now(ctx); err != nil {
			return nil, problem.Outage(err)
		}
	}
	if err := h.tried(ctx, e); err != nil {
		return nil, err
	}
	return e, h.add(ctx, e)
}

// replace replaces a webhook, unless others have changed it since it was read.
func (h *Hooks) replace(
	ctx context.Context, was *endpoint, want beyond.Webhook, from merged.Places,
) (*endpoint, error) {
	edition, url := was.Edition, was.URL
	apply := func(e *endpoint) error {
		if e.Edition != edition {
			return errEdited
		}
		if want.URL != e.URL || !slices.Equal(want.Types, e.Types) || from != nil {
			e.URL, e.Types = want.URL, want.Types
			if from == nil {
				from = e.At
			}
			e.move(from)
		}
		if want.Secret != "" && want.Secret != e.Secrets[0].Text {
			e.takeSecret(want.Secret, h.now())
		}
		e.Edition++
		return nil
	}
	if url != want.URL || want.Secret != "" && want.Secret != was.Secrets[0].Text {
		trial := *was
		if err := apply(&trial); err != nil {
			return nil, err
		}
		if err := h.tried(ctx, &trial); err != nil {
			return nil, err
		}
	}
	return h.change(ctx, was.Name, apply)
}

// Delete removes a webhook and returns what it was. Errors: as Get, those of meets.
func (h *Hooks) Delete(
	ctx context.Context, name string, meets Condition,
) (webhook beyond.WebhookShown, tag string, err error) {
	_, err = h.change(ctx, name, func(e *endpoint) error {
		if err := meets(e.tag()); err != nil {
			return err
		}
		webhook, tag = e.shown(), e.tag()
		*e = endpoint{Slot: e.Slot, Edition: e.Edition + 1, Course: e.Course + 1, at: e.at}
		return nil
	})
	return webhook, tag, refusal(err, name)
}

// Pause has nothing delivered until Resume. An event that is being sent may still arrive. Errors: as Get,
// those of meets and by.
func (h *Hooks) Pause(
	ctx context.Context, name string, by *once.Once, meets Condition,
) (beyond.WebhookShown, string, error) {
	return h.edit(ctx, name, by, meets, func(e *endpoint) error {
		e.Why = "A caller has paused it."
		return nil
	})
}

// Resume has events delivered from where the webhook is. One that failed is sent at once. Errors: as
// Get, those of meets and by.
func (h *Hooks) Resume(
	ctx context.Context, name string, by *once.Once, meets Condition,
) (beyond.WebhookShown, string, error) {
	return h.edit(ctx, name, by, meets, func(e *endpoint) error {
		e.Why = ""
		e.succeed()
		return nil
	})
}

// Replay has a webhook go on from other places. If the cursor of the request gives no places, late is the reason. It is
// returned unless an earlier request with the same key has made the change: the cursor may have expired since. Errors:
// as Get, those of meets and by, late.
func (h *Hooks) Replay(
	ctx context.Context, name string, from merged.Places, late error, by *once.Once, meets Condition,
) (beyond.WebhookShown, string, error) {
	return h.edit(ctx, name, by, meets, func(e *endpoint) error {
		if late != nil {
			return late
		}
		e.move(from)
		return nil
	})
}

// edit makes a change that a caller wants, unless an earlier request with the same key has made it.
func (h *Hooks) edit(
	ctx context.Context, name string, by *once.Once, meets Condition, how func(*endpoint) error,
) (beyond.WebhookShown, string, error) {
	e, err := h.change(ctx, name, func(e *endpoint) error {
		switch was, err := e.done(by); {
		case err != nil:
			return err
		case was != nil:
			return errDone
		}
		if err := meets(e.tag()); err != nil {
			return err
		}
		if err := how(e); err != nil {
			return err
		}
		e.Edition++
		e.keep(by, nil)
		return nil
	})
	if errors.Is(err, errDone) {
		return h.Get(ctx, name)
	}
	if err != nil {
		return beyond.WebhookShown{}, "", refusal(err, name)
	}
	return e.shown(), e.tag(), nil
}

// errDone is the error of a change that an earlier request with the same key has made.
var errDone = errors.New("an earlier request with the same key has made the change")
