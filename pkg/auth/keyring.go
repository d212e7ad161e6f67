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

	"insurance.example/exchange/pkg/patience"
)

const (
	// fetchTimeout bounds one reading of the key source.
	fetchTimeout = 5 * time.Second
	// largestSource is the largest size of a key source, in bytes.
	largestSource = 1 << 20
)

// errNoKeys is the error while the keys that a token needs cannot be read, so that the token can be neither accepted
// nor refused.
var errNoKeys = errors.New("auth: the verification keys cannot be read")

// heldBack is the error of a look-up that may not be made yet. The provider may have the key nevertheless.
type heldBack struct{ left time.Duration }

func (h heldBack) Error() string {
	return fmt.Sprintf("the provider was asked for an unknown key a moment ago, and may be again in %s", h.left)
}

// keyring holds the keys of one source, and keeps the last good ones while the source is down. Of the available JWKS
// clients only the parsing is used, because they either keep withdrawn keys or have callers wait for the rate limit of
// unknown key ids.
type keyring struct {
	load    func(ctx context.Context) ([]byte, error)
	every   time.Duration // the pause between two regular refreshes
	soonest time.Duration // the least pause before a refresh because of an unknown key id
	// local says that reading the source costs nobody else anything, so that no look-up is held back.
	local bool
	log   *slog.Logger

	current atomic.Pointer[[]key]
	flight  singleflight.Group
	begun   atomic.Int64 // how many readings have begun
	source  []byte       // what current was read from; used only in flight
	failing error        // why the last reading failed; used only in flight
	asked   time.Time    // when the source was last read because of an unknown key id; used only in flight
}

func (r *keyring) keys() []key {
	if keys := r.current.Load(); keys != nil {
		return *keys
	}
	return nil
}

// refresh reads the source.
func (r *keyring) refresh(ctx context.Context) error {
	_, err := r.together(ctx, r.read)
	return err
}

// refreshFor reads the source because of an unknown key id. It returns the outcome of a reading that began after the
// call: what such a reading does not show, the provider does not have. A reading that was under way before may have
// missed a new key, or may have failed before the provider was back. The error is a heldBack if the source was read for
// an unknown key id a moment ago, because made-up key ids must not turn into requests to the identity provider.
func (r *keyring) refreshFor(ctx context.Context) error {
	before := r.begun.Load()
	for {
		number, err := r.together(ctx, func(ctx context.Context) error {
			if left := r.soonest - time.Since(r.asked); left > 0 && !r.local {
				return heldBack{left}
			}
			r.asked = time.Now()
			return r.read(ctx)
		})
		if held := (heldBack{}); number > before || errors.As(err, &held) || ctx.Err() != nil {
			return err
		}
	}
}

// together calls read once for all callers that come before it has ended. It returns the number of the reading. If ctx
// ends, it returns to its own caller, and the reading continues for the others.
func (r *keyring) together(ctx context.Context, read func(context.Context) error) (number int64, err error) {
	done := r.flight.DoChan("", func() (any, error) {
		fetch, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience.Times(fetchTimeout))
		defer cancel()
		err := read(fetch)
		return r.begun.Load(), err
	})
	select {
	case result := <-done:
		return result.Val.(int64), result.Err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (r *keyring) read(ctx context.Context) error {
	r.begun.Add(1)
	source, err := r.load(ctx)
	var keys []key
	if err == nil && (r.keys() == nil || !bytes.Equal(source, r.source)) {
		keys, err = parseKeys(source)
	}
	if err != nil {
		if r.failing == nil { // a source that stays down is logged once
			r.log.Warn("verification keys cannot be read; the last ones that were read stay in use", "known",
				len(r.keys()), "cause", err)
		}
		r.failing = err
		return err
	}
	if r.failing != nil {
		r.log.Info("verification keys can be read again")
	}
	r.failing = nil
	if keys != nil {
		r.source = source
		r.current.Store(&keys)
	}
	return nil
}

// run refreshes until ctx ends. While there is no key at all, it does so as often as it may.
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
			_ = r.refresh(ctx) // a failure was logged by read
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
			return nil, fmt.Errorf("%s responds with %s", url, response.Status)
		}
		source, err := io.ReadAll(io.LimitReader(response.Body, largestSource+1))
		if err == nil && len(source) > largestSource {
			err = fmt.Errorf("%s responds with more than %d bytes", url, largestSource)
		}
		return source, err
	}
}

func fromFile(path string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return os.ReadFile(path) }
}
