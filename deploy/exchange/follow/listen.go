package follow

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"insurance.example/exchange/deploy/exchange/client"
)

const (
	// responds is how long the receiver may take to respond.
	responds = 10 * time.Second
	// firstPause is how long the command waits before it sends an event again, and longestPause bounds what that
	// grows to.
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

func listen(around client.Surroundings) *cobra.Command {
	command := described("listen")
	command.Args = client.NoArguments
	f := feed{notes: func(format string, args ...any) { fmt.Fprintf(around.Err, format, args...) }}
	connect := client.Connect(around, command)
	f.register(command, "now")
	to := command.Flags().String("forward", "", "URL of the program on this machine")
	secret := command.Flags().String("secret", "",
		"secret of the signatures, whsec_ and base64; a new one if not given")
	command.RunE = func(command *cobra.Command, _ []string) (err error) {
		forward, err := newForwarder(*to, *secret)
		if err != nil {
			return err
		}
		if err := f.begin(); err != nil {
			return err
		}
		if f.exchange, err = connect(); err != nil {
			return err
		}
		fmt.Fprintf(around.Out, "Each event goes to %s. The secret of the signatures is %s\n", *to, forward.secret)
		for {
			p, err := f.read(command.Context(), longWait)
			if err != nil {
				return err
			}
			for _, event := range p.Events {
				if err := forward.deliver(command.Context(), event, around.Out); err != nil {
					return err
				}
			}
			if err := f.done(p.Next); err != nil {
				return err
			}
		}
	}
	return command
}

// forwarder sends events to a program on this machine.
type forwarder struct {
	url, secret string
	sign        *standardwebhooks.Webhook
	client      *http.Client
}

// newForwarder returns a forwarder to a URL of this machine, with a secret, or a new one if it is empty.
func newForwarder(to, secret string) (*forwarder, error) {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, client.Misuse(fmt.Sprintf("--forward %q is no URL such as http://127.0.0.1:9000/hook", to))
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, client.Misuse(
			fmt.Sprintf("--forward %q is not on this machine; name it localhost or 127.0.0.1", to))
	}
	if secret == "" {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		secret = "whsec_" + base64.StdEncoding.EncodeToString(key)
	}
	sign, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, client.Misuse("--secret is not whsec_ and base64")
	}
	return &forwarder{to, secret, sign, &http.Client{
		Timeout:       responds,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// deliver sends an event until the receiver takes it, and says on out how each attempt ended. It returns the error of
// the context, or an error for an event that cannot be read.
func (f *forwarder) deliver(ctx context.Context, event jsontext.Value, out io.Writer) error {
	var named struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	if err := json.Unmarshal(event, &named); err != nil || named.ID == "" {
		return fmt.Errorf("what the exchange returned is no event: %w", err)
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		status, err := f.send(ctx, named.ID, event)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && status/100 == 2 {
			_, err = fmt.Fprintf(out, "%q %q: %d\n", named.ID, named.Type, status)
			return err
		}
		said := fmt.Sprint(status)
		if err != nil {
			said = err.Error()
		}
		if _, err := fmt.Fprintf(out, "%q %q: %s; again in %s\n", named.ID, named.Type, said, pause); err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// send sends an event once and returns the status of the response.
func (f *forwarder) send(ctx context.Context, id string, event jsontext.Value) (status int, err error) {
	at := time.Now()
	signature, err := f.sign.Sign(id, at, event)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(event))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/cloudevents+json")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	response, err := f.client.Do(request)
	if err != nil {
		return 0, err
	}
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // so that the connection can be used again
	return response.StatusCode, response.Body.Close()
}
