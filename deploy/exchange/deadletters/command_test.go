package deadletters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/deploy/exchange/broker"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/deadletters"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/wait"
	"insurance.example/exchange/services/premium"
)

// trial is a premium service with a broker, and the commands.
type trial struct {
	t      *testing.T
	broker *kafkatest.Broker
	// known is true once the policies exist that the messages are about.
	known atomic.Bool
}

func newTrial(t *testing.T, b *kafkatest.Broker) *trial {
	c := &trial{t: t, broker: b}
	coverage := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !c.known.Load() {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"policyNumber":%q,"policyholderId":"h"}`,
			strings.TrimPrefix(r.URL.Path, "/internal/policy/"))
	})
	servicetest.Start(t, premium.Service().Definition(), servicetest.Options{
		Peers: map[string]http.Handler{"coverage": coverage}, Kafka: b.Settings(),
		Flags: []string{"--bordereau-period", "month"},
	})
	return c
}

// announce publishes that the row of a policy has changed, as the service does.
func (c *trial) announce(policies ...string) {
	c.t.Helper()
	wait.For(c.t, "the service has created the topic", func() bool {
		return len(c.broker.PartitionInfos(events.BordereauTopic)) > 0
	})
	for _, policy := range policies {
		value, err := json.Marshal(events.BordereauDirty{Period: "2026-11", PolicyNumber: policy,
			TransactionType: "new policy"})
		if err != nil {
			c.t.Fatal(err)
		}
		c.broker.Publish(events.BordereauTopic, kafka.Message{Key: []byte(policy), Value: value})
	}
}

// run runs dead-letters with arguments, and returns what it prints.
func (c *trial) run(arguments ...string) (string, error) {
	var out bytes.Buffer
	environ := []string{"EXCHANGE_BROKERS=" + c.broker.Address, "EXCHANGE_BORDEREAU_PERIOD=month"}
	command := deadletters.CommandOver(c.broker.Settings().Dial, environ, &out)
	command.SetArgs(arguments)
	command.SilenceErrors, command.SilenceUsage = true, true
	err := command.ExecuteContext(context.Background())
	return out.String(), err
}

func (c *trial) must(arguments ...string) string {
	c.t.Helper()
	out, err := c.run(arguments...)
	if err != nil {
		c.t.Fatalf("%q: %v", arguments, err)
	}
	return out
}

// letter is a line of the output.
type letter struct {
	Name, Reason, Topic, Key, Value, Outcome string
	Offset                                   int64
	At                                       time.Time
	Replayed                                 *time.Time
}

func lines(t *testing.T, output string) []letter {
	t.Helper()
	var all []letter
	for line := range strings.Lines(output) {
		var l letter
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, l)
	}
	return all
}

// listed returns the dead letters that were not put back. There is none while the broker does not respond in time.
func (c *trial) listed() []letter {
	out, err := c.run("list")
	if err != nil {
		return nil
	}
	return lines(c.t, out)
}

// unfounded returns how many dead letters that were not put back are about no receipt.
func (c *trial) unfounded() (n int) {
	for _, l := range c.listed() {
		if l.Reason == "no receipt is in the row that the message names" {
			n++
		}
	}
	return n
}

// TestDeadLettersArePutBackOnce: the messages are about policies that do not exist, so they become dead letters. Once
// the policies exist, the dead letters are put back. As nobody has recorded a receipt, they become dead letters again,
// for this other reason.
func TestDeadLettersArePutBackOnce(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) { putBackOnce(t, newTrial(t, b)) })
}

func putBackOnce(t *testing.T, c *trial) {
	if out := c.must("list", "-o", "table"); out != "There are none.\n" {
		t.Errorf("before there is any, the list says %q", out)
	}
	c.announce("P1", "P2", "P3")
	var found []letter
	wait.For(t, "there are dead letters", func() bool {
		found = c.listed()
		return len(found) == 3
	})
	first := found[0]
	if first.Topic != events.BordereauTopic || first.Offset < 0 || time.Since(first.At) > time.Hour ||
		first.Replayed != nil ||
		first.Reason != "there is no policy with the number that the message names" ||
		!strings.Contains(first.Value, `"policyNumber":"`+first.Key+`"`) {
		t.Errorf("the first is %+v", first)
	}
	if out := c.must("list", "-o", "table"); strings.Count(out, "\n") != 4 || !strings.HasPrefix(out, "NAME") ||
		!strings.Contains(out, first.Reason) {
		t.Errorf("as a table:\n%s", out)
	}

	c.known.Store(true)
	for _, l := range lines(t, c.must("replay", "--all", "--dry-run")) {
		if l.Outcome != "would be put back" {
			t.Errorf("a dry run says of %s: %s", l.Name, l.Outcome)
		}
	}
	if got := len(lines(t, c.must("list"))); got != 3 {
		t.Errorf("%d are left after a dry run, want 3", got)
	}
	if got := lines(t, c.must("replay", first.Name)); len(got) != 1 || got[0].Outcome != "put back" {
		t.Errorf("putting one back says %+v", got)
	}
	wait.For(t, "it is handled again", func() bool { return c.unfounded() == 1 })

	outcomes := map[string]int{}
	for _, l := range lines(t, c.must("replay", "--all")) {
		outcomes[l.Outcome]++
	}
	if outcomes["put back"] != 3 || outcomes["was put back before"] != 1 {
		t.Errorf("putting all back says %v", outcomes)
	}
	wait.For(t, "all are handled again", func() bool { return c.unfounded() == 3 })
	if got := lines(t, c.must("list")); len(got) != 3 {
		t.Errorf("%d are left", len(got))
	}
	if got := lines(t, c.must("list", "--all")); len(got) != 7 || got[0].Replayed == nil {
		t.Errorf("the list of all is %+v", got)
	}
	if got := lines(t, c.must("replay", "--again", first.Name)); len(got) != 1 || got[0].Outcome != "put back" {
		t.Errorf("putting one back again says %+v", got)
	}
}

// TestWrongCommandLinesAreTold: each is a misuse that says what to give.
func TestWrongCommandLinesAreTold(t *testing.T) {
	empty := t.TempDir()
	for arguments, says := range map[string]string{
		"list --data " + empty:                  "--brokers",
		"list everything":                       "takes no arguments",
		"list --output xml":                     "json or table",
		"list --brokers a:1 --kafka-sasl plain": "kafka-user",
		"list --broker a:1":                     "--brokers",
		"replay --brokers a:1,b:1":              "exchange dead-letters list --brokers a:1,b:1",
		"replay --brokers a:1 --all 0-1":        "--all",
	} {
		command := deadletters.Command(nil, io.Discard, io.Discard)
		command.SetArgs(strings.Fields(arguments))
		command.SilenceErrors, command.SilenceUsage = true, true
		err := command.ExecuteContext(t.Context())
		if status := client.Report(&bytes.Buffer{}, err); status != 2 || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: status %d, %v", arguments, status, err)
		}
	}
}

// TestADeadLetterThatIsNamedWronglyIsAnError: the data of an exchange says where its broker is.
func TestADeadLetterThatIsNamedWronglyIsAnError(t *testing.T) {
	data := t.TempDir()
	b, err := broker.Start(broker.Options{DataDir: filepath.Join(data, "broker"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	run := func(ctx context.Context, arguments ...string) error {
		command := deadletters.Command([]string{"EXCHANGE_DATA=" + data}, io.Discard, io.Discard)
		command.SetArgs(arguments)
		command.SilenceErrors, command.SilenceUsage = true, true
		return command.ExecuteContext(ctx)
	}
	hint := "0-99; all names: exchange dead-letters list --all --data " + data
	if err := run(t.Context(), "replay", "0-99", "--data", data); err == nil || !strings.Contains(err.Error(), hint) {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ended, "list"); !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C: %v", err)
	}
}
