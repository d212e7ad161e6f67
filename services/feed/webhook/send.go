package webhook

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	// responds is how long a receiver may take for its response, to its end.
	responds = 10 * time.Second
	// mostHeader bounds the header of a response, and mostBody what is read of its body, so that the connection can be
	// used again. keptBody is how much is shown.
	mostHeader = 16 << 10
	mostBody   = 64 << 10
	keptBody   = 1 << 10
)

// Dial makes a connection to an address of a network.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns how connections are made. private says that they may lead to private networks.
func dialer(private bool) Dial {
	d := &net.Dialer{Timeout: responds}
	if !private {
		d.Control = control
	}
	return d.DialContext
}

// newClient returns the client that sends events.
func newClient(dial Dial) *http.Client {
	return &http.Client{
		Timeout: responds,
		// A redirect is a response that is not 2xx.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			// There is no proxy: it would resolve names itself.
			DialContext: dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: responds,
			MaxResponseHeaderBytes: mostHeader, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute,
			DisableCompression: true,
		},
	}
}

// newSecret returns a secret as receivers configure it.
func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// The form of a secret, as Standard Webhooks has it.
const (
	secretPrefix                = "whsec_"
	leastSecret, greatestSecret = 24, 64
)

// wrongSecret returns what is wrong with a secret of a caller's own, empty if nothing is.
func wrongSecret(text string) string {
	encoded, is := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil || len(key) < leastSecret || len(key) > greatestSecret {
		return fmt.Sprintf("must be %s and %d to %d bytes in base64", secretPrefix, leastSecret, greatestSecret)
	}
	return ""
}

// outcome is what became of an attempt.
type outcome struct {
	status   int
	response string
	fault    string
	// wait is how long the receiver wants to be left alone; 0 if it does not say.
	wait time.Duration
}

func (o outcome) accepted() bool { return o.fault == "" && o.status/100 == 2 }

// send sends an event once, signed with each of the secrets.
func (h *Hooks) send(ctx context.Context, to string, secrets []string, id string, event []byte) outcome {
	at := h.wall()
	var signatures []string
	for _, s := range secrets {
		signature, err := sign(s, id, at, event)
		if err != nil {
			return outcome{fault: "the event could not be signed"}
		}
		signatures = append(signatures, signature)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(event))
	if err != nil {
		return outcome{fault: "the URL cannot be used"}
	}
	request.Header.Set("Content-Type", "application/cloudevents+json")
	request.Header.Set("User-Agent", "insurance-exchange-webhook")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	response, err := h.client.Do(request)
	if err != nil {
		return outcome{fault: faultOf(err)}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody))
	if err != nil && len(body) < keptBody {
		return outcome{fault: faultOf(err)}
	}
	return outcome{
		status:   response.StatusCode,
		response: strings.ToValidUTF8(string(body[:min(len(body), keptBody)]), ""),
		wait:     waitOf(response, h.wall()),
	}
}

// longestWait bounds how long a receiver can have the next attempt wait.
const longestWait = time.Hour

// waitOf returns how long the receiver of a response wants to be left alone, at an instant of the machine's clock: what
// Retry-After (RFC 9110, section 10.2.3) says in a 429 or 503, up to longestWait. It is 0 for any other response.
func waitOf(r *http.Response, now time.Time) time.Duration {
	if r.StatusCode != http.StatusTooManyRequests && r.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	text := strings.TrimSpace(r.Header.Get("Retry-After"))
	if text != "" && strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > int64(longestWait/time.Second) {
			return longestWait // more digits than a number has
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestWait)
}

func sign(secret, id string, at time.Time, event []byte) (string, error) {
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return "", err
	}
	return w.Sign(id, at, event)
}

// faultOf says why there was no response, without anything internal.
func faultOf(err error) string {
	var refused net.Error
	var lookup *net.DNSError
	switch {
	case errors.Is(err, errPrivate), errors.As(err, &lookup):
		// The same words for both, or callers could ask which names the network of the exchange has.
		return "the name of the host was not found, or leads to an address that is not of the public internet"
	case errors.As(err, &refused) && refused.Timeout():
		return "no response within " + responds.String()
	default:
		return "no connection, or no response of HTTP"
	}
}
