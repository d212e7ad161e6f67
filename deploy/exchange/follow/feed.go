// Package follow holds the commands that read the feed of an exchange: one prints the events, the other sends them on
// to a program on this machine, signed.
package follow

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/texts"
	"insurance.example/exchange/pkg/whole"
)

//go:embed commands.yaml
var commands []byte

// described makes a command with its texts.
var described = texts.Of(commands)

// Commands returns the commands events and listen. Their errors are for client.Report.
func Commands(around client.Surroundings) []*cobra.Command {
	return []*cobra.Command{events(around), listen(around)}
}

// page is a page of the feed.
type page struct {
	Events []jsontext.Value `json:"events"`
	Next   string           `json:"next"`
	Behind []string         `json:"behind"`
}

// feed is what the flags of a command select of the feed.
type feed struct {
	exchange            client.Exchange
	after, kind, policy string
	cursorFile          string
	notes               func(format string, args ...any)
	behind              string
}

// register declares the flags.
func (f *feed) register(command *cobra.Command, from string) {
	flags := command.Flags()
	flags.StringVar(&f.after, "after", from, "where to begin: now, a cursor, or nothing for the oldest event")
	flags.StringVar(&f.kind, "type", "", "only events of a type, such as exchange.claim.settled or exchange.claim.*")
	flags.StringVar(&f.policy, "policy", "", "only events about the policy with this number")
	flags.StringVar(&f.cursorFile, "cursor-file", "",
		"file that keeps the cursor: if it is there, the command goes on from it, and --after does not count")
}

// begin reads the cursor that was kept, if there is one.
func (f *feed) begin() error {
	if f.cursorFile == "" {
		return nil
	}
	text, err := os.ReadFile(f.cursorFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f.after = strings.TrimSpace(string(text))
	return err
}

// read returns the page that follows. It waits for events for up to some seconds.
func (f *feed) read(ctx context.Context, wait string) (page, error) {
	query := url.Values{"limit": {"200"}, "wait": {wait}}
	for name, value := range map[string]string{"after": f.after, "type": f.kind, "policyNumber": f.policy} {
		if value != "" {
			query.Set(name, value)
		}
	}
	body, err := f.exchange(ctx, client.Request{Method: http.MethodGet, Path: "/x/events", Query: query})
	if err != nil {
		return page{}, err
	}
	var p page
	if err := json.Unmarshal(body, &p); err != nil {
		return page{}, fmt.Errorf("what the exchange returned is no page of the feed: %w", err)
	}
	if behind := strings.Join(p.Behind, ", "); behind != f.behind {
		if f.behind = behind; behind != "" {
			f.notes("These services do not respond; their events come later: %s\n", behind)
		}
	}
	return p, nil
}

// done notes that all events up to a cursor are dealt with.
func (f *feed) done(next string) error {
	f.after = next
	if f.cursorFile == "" {
		return nil
	}
	return whole.Write(f.cursorFile, []byte(next+"\n")) // half a cursor is none
}

// longWait is for how many seconds a request waits where the command goes on until it is stopped.
const longWait = "20"
