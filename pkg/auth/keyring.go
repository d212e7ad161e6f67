package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// fetchTimeout bounds one look at the key source.
	fetchTimeout = 5 * time.Second
	// largestSource is the size in bytes beyond which a key source is refused.
	largestSource = 1 << 20
)

// errNoKeys: no key could be had yet, so that nothing can be said about any token.
var errNoKeys = errors.New("auth: no verification keys")

// keyring holds the keys of one source and keeps the last good ones while the source is down. The JWKS clients at hand
// either keep withdrawn keys or let callers wait for the rate limit of unknown key ids, so only their parsing is used.
type keyring struct {
	load    func(ctx context.Context) ([]byte, error)
	every   time.Duration // the pause between two refreshes
	soonest time.Duration // the least pause before a refresh for the sake of an unknown key id
	log     *slog.Logger
	changed func()

	current   atomic.Pointer[[]key]
	attempted atomic.Int64 // Unix nanoseconds of the last look at the source
	flight    singleflight.Group
	source    []byte // what current was read from; touched only in flight
	failing   bool   // whether the last look failed; touched only in flight
}

func (r *keyring) keys() []key {
	if keys := r.current.Load(); keys != nil {
		return *keys
	}
	return nil
}

// refresh looks at the source once, however many ask for it at the same time. It ends with ctx for the one who asks,
// not for the others.
func (r *keyring) refresh(ctx context.Context) error {
	done := r.flight.DoChan("", func() (any, error) {
		fetch, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		r.attempted.Store(time.Now().UnixNano())
		return nil, r.look(fetch)
	})
	select {
	case result := <-done:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *keyring) look(ctx context.Context) error {
	source, err := r.load(ctx)
	var keys []key
	if err == nil && (r.keys() == nil || !bytes.Equal(source, r.source)) {
		keys, err = parseKeys(source)
	}
	if err != nil {
		if !r.failing { // a source that stays down is told of once
			r.log.Warn("verification keys cannot be read; the last good ones stay in force", "known", len(r.keys()), "cause", err)
		}
		r.failing = true
		return err
	}
	if r.failing {
		r.log.Info("verification keys can be read again")
	}
	r.failing = false
	if keys != nil {
		r.source = source
		r.current.Store(&keys)
		r.changed()
	}
	return nil
}

// refreshFor looks at the source because of an unknown key id, unless that was done a moment ago: made-up key ids must
// not turn into requests to the identity provider.
func (r *keyring) refreshFor(ctx context.Context) error {
	if time.Since(time.Unix(0, r.attempted.Load())) < r.soonest {
		return nil
	}
	return r.refresh(ctx)
}

// run refreshes until ctx ends; as often as allowed while there is no key at all.
func (r *keyring) run(ctx context.Context) {
	for {
		pause := r.every
		if r.keys() == nil {
			pause = r.soonest
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			_ = r.refresh(ctx) // look has told of a failure
		}
	}
}

func fromURL(client *http.Client, url string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", "application/jwk-set+json, application/json")
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s answers %s", url, response.Status)
		}
		source, err := io.ReadAll(io.LimitReader(response.Body, largestSource+1))
		if err == nil && len(source) > largestSource {
			err = fmt.Errorf("%s answers more than %d bytes", url, largestSource)
		}
		return source, err
	}
}

func fromFile(path string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return os.ReadFile(path) }
}
