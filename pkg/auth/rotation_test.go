package auth

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/problem"
)

// issuer is an identity provider of a bubble: its responses take time, and may fail.
type issuer struct {
	t      *testing.T
	random *rand.Rand // used by one reading at a time
	slow   time.Duration
	ill    int // one reading in so many fails; none if it is 0

	mu       sync.Mutex
	newest   int
	private  ed25519.PrivateKey
	set      []byte
	readings int
}

// keyOf returns a key that depends on its number alone.
func keyOf(number int) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(fmt.Sprintf("%032d", number)))
}

func keyID(number int) string { return fmt.Sprintf("key-%d", number) }

// rotate publishes the next key in place of the former one.
func (i *issuer) rotate() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.newest++
	i.private = keyOf(i.newest)
	public, err := jwk.Import(i.private.Public())
	if err != nil {
		i.t.Fatal(err)
	}
	set := jwk.NewSet()
	if err := errors.Join(public.Set("kid", keyID(i.newest)), set.AddKey(public)); err != nil {
		i.t.Fatal(err)
	}
	if i.set, err = json.Marshal(set); err != nil {
		i.t.Fatal(err)
	}
}

// read is what the key set was when it was asked for.
func (i *issuer) read(ctx context.Context) ([]byte, error) {
	i.mu.Lock()
	set := i.set
	i.readings++
	i.mu.Unlock()
	select {
	case <-time.After(time.Duration(i.random.Int64N(int64(i.slow)))):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if i.ill > 0 && i.random.IntN(i.ill) == 0 {
		return nil, errors.New("502 Bad Gateway")
	}
	return set, nil
}

// tokenOf returns a token of the key with a number; of its newest one if the number is 0. It is signed with the newest
// key in either case: there is no key with a number that the issuer has not published.
func (i *issuer) tokenOf(number int) string {
	i.mu.Lock()
	private, id := i.private, keyID(i.newest)
	i.mu.Unlock()
	if number != 0 {
		id = keyID(number)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{
		"sub": "broker-1", "exp": time.Now().Add(24 * time.Hour).Unix(),
	})
	token.Header["kid"] = id
	text, err := token.SignedString(private)
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

// verifierOf returns a verifier that reads the keys of an issuer as it reads those at a URL.
func verifierOf(t *testing.T, i *issuer) *Verifier {
	t.Helper()
	var s tokens.Settings
	s.Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	s.JWKSURL = "https://issuer.example/keys"
	v, err := newVerifier(s, i.read, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_ = v.keyring.refresh(t.Context()) // an issuer may be down, and is read again
	return v
}

// outcome returns the kind of the problem of a token, and how long its sender is to wait.
func outcome(v *Verifier, token string) (kind problem.Kind, wait time.Duration, verified bool) {
	_, err := v.Verify(context.Background(), http.Header{"Authorization": {"Bearer " + token}}, "std.developer")
	if err == nil {
		return kind, 0, true
	}
	var p *problem.Error
	if !errors.As(err, &p) {
		return kind, 0, false
	}
	seconds, _ := strconv.Atoi(p.Header.Get("Retry-After")) // 0 is not expected of a problem that asks to wait
	return p.Kind, time.Duration(seconds) * time.Second, false
}

// TestNoCallerOfAPublishedKeyIsRefused rotates the keys of a provider while others send tokens of made-up keys. What
// happens when is decided by a seed. A caller whose key is published gets 503 with a time after which to ask again, or
// is verified; made-up keys have the provider asked no more often than it may be.
func TestNoCallerOfAPublishedKeyIsRefused(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			defer func() { // a bubble that fails ends the test
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()
			rotateInAFlood(t, seed)
		})
	}
}

func rotateInAFlood(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	i := &issuer{
		t: t, random: rand.New(rand.NewPCG(seed, 1)),
		slow: []time.Duration{time.Millisecond, 500 * time.Millisecond, 8 * time.Second}[random.IntN(3)],
		ill:  []int{0, 0, 3}[random.IntN(3)],
	}
	i.rotate()
	v := verifierOf(t, i)
	ctx, stop := context.WithCancel(t.Context())
	began := time.Now()
	var loops, callers sync.WaitGroup
	loops.Go(func() { v.keyring.run(ctx) })
	pause := func(random *rand.Rand, longest time.Duration) {
		<-time.After(time.Duration(random.Int64N(int64(longest))))
	}
	for n := range random.IntN(5) {
		random := rand.New(rand.NewPCG(seed, 100+uint64(n)))
		loops.Go(func() {
			for ctx.Err() == nil {
				kind, wait, verified := outcome(v, i.tokenOf(1_000_000+random.IntN(1_000_000)))
				switch {
				case verified:
					t.Error("a token of a made-up key is accepted")
				case kind != problem.Unauthorized && (kind != problem.Unavailable || wait < time.Second):
					t.Errorf("a token of a made-up key gets %v, after %s again", kind, wait)
				}
				pause(random, time.Second)
			}
		})
	}
	const rotations = 4
	loops.Go(func() {
		for range rotations {
			pause(random, 40*time.Second)
			i.rotate()
		}
	})
	for n := range 6 {
		random := rand.New(rand.NewPCG(seed, 200+uint64(n)))
		callers.Go(func() {
			for range 12 {
				pause(random, 15*time.Second)
				i.serve(v)
			}
		})
	}
	callers.Wait()
	stop()
	loops.Wait()
	took := time.Since(began)
	most := 2 + int(took/v.keyring.soonest) + int(took/v.keyring.every)
	if i.ill > 0 || i.slow > fetchTimeout {
		most += int(took / v.keyring.soonest) // the regular readings, while there is no key at all
	}
	if i.readings > most {
		t.Errorf("the provider was asked %d times within %s, want at most %d", i.readings, took, most)
	}
}

// serve sends a token of the newest key until it is accepted, and waits in between as long as it is told to.
func (i *issuer) serve(v *Verifier) {
	token, number, began := i.tokenOf(0), i.number(), time.Now()
	for {
		kind, wait, verified := outcome(v, token)
		switch {
		case verified:
			return
		case i.number() != number: // it is of a withdrawn key by now
			return
		case kind != problem.Unavailable || wait < time.Second || wait > v.keyring.soonest+time.Second:
			i.t.Errorf("a caller whose key is published gets %v, after %s again", kind, wait)
			return
		case time.Since(began) > 10*time.Minute:
			i.t.Error("a caller whose key is published is not served within ten minutes")
			return
		}
		<-time.After(wait)
	}
}

func (i *issuer) number() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.newest
}

// TestACallerOfTwoReadings joins a reading that began before its key was published. The one that it asks for next is
// held back, because an older token has just had the provider asked.
func TestACallerOfTwoReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{t: t, random: rand.New(rand.NewPCG(0, 1)), slow: 1}
		i.rotate()
		v := verifierOf(t, i)
		v.keyring.load = func(ctx context.Context) ([]byte, error) {
			set, err := i.read(ctx)
			<-time.After(time.Second)
			return set, err
		}
		var callers sync.WaitGroup
		callers.Go(func() { // its key is made up, and the provider is asked whether it has it
			if kind, _, _ := outcome(v, i.tokenOf(1_000_000)); kind != problem.Unauthorized {
				t.Errorf("a token of a made-up key gets %v", kind)
			}
		})
		synctest.Wait()
		i.rotate()
		callers.Go(func() {
			if kind, wait, _ := outcome(v, i.tokenOf(0)); kind != problem.Unavailable || wait != 9*time.Second {
				t.Errorf("a caller whose key the provider has gets %v, after %s again", kind, wait)
			}
		})
		callers.Wait()
		<-time.After(9 * time.Second)
		if kind, _, verified := outcome(v, i.tokenOf(0)); !verified {
			t.Errorf("after the time that it was told it gets %v", kind)
		}
	})
}

// TestACallerOutlivesAReadingThatFails joins a regular reading that began while the provider was away. It fails after
// the provider is back, and the caller is served by the next one.
func TestACallerOutlivesAReadingThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{t: t, random: rand.New(rand.NewPCG(0, 1)), slow: 1}
		i.rotate()
		v := verifierOf(t, i)
		away := true
		v.keyring.load = func(ctx context.Context) ([]byte, error) {
			if away {
				<-time.After(time.Second)
				return nil, errors.New("connection refused")
			}
			return i.read(ctx)
		}
		var callers sync.WaitGroup
		callers.Go(func() {
			if v.keyring.refresh(t.Context()) == nil {
				t.Error("the provider is away, and its keys are read")
			}
		})
		synctest.Wait()
		i.rotate()
		away = false
		if kind, wait, verified := outcome(v, i.tokenOf(0)); !verified {
			t.Errorf("a caller whose key the provider has gets %v, after %s again", kind, wait)
		}
		callers.Wait()
	})
}
