package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// patience ends a test that would never end; no test passes or fails by how quick it is.
const patience = 5 * time.Minute

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

func start(t testing.TB, options Options) *Broker {
	t.Helper()
	options.Log = silent
	b, err := Start(options)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func clientOf(t testing.TB, b *Broker) *kafka.Client {
	transport := &kafka.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &kafka.Client{Addr: kafka.TCP(b.Addr()), Transport: transport}
}

func createTopic(t testing.TB, b *Broker, name string, partitions int) {
	t.Helper()
	_, err := clientOf(t, b).CreateTopics(t.Context(), &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: name, NumPartitions: partitions, ReplicationFactor: 1}}})
	if err != nil {
		t.Fatal(err)
	}
}

// publish writes n messages to a topic, a batch for every few.
func publish(t testing.TB, b *Broker, topic string, n, batch int) {
	t.Helper()
	w := &kafka.Writer{Addr: kafka.TCP(b.Addr()), Topic: topic, BatchSize: batch, BatchTimeout: time.Millisecond,
		RequiredAcks: kafka.RequireAll, Balancer: &kafka.RoundRobin{}, Transport: &kafka.Transport{}}
	defer w.Close()
	for from := 0; from < n; from += 10_000 {
		messages := make([]kafka.Message, min(n-from, 10_000))
		for i := range messages {
			messages[i].Value = fmt.Appendf(nil,
				`{"period":"2026-11","policyNumber":"MTR-%08d","transactionType":"premium"}`, from+i)
		}
		if err := w.WriteMessages(t.Context(), messages...); err != nil {
			t.Fatal(err)
		}
	}
}

// consume reads n messages as a member of group and commits them.
func consume(t testing.TB, b *Broker, group, topic string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{b.Addr()}, GroupID: group, Topic: topic,
		MaxWait: 100 * time.Millisecond})
	defer r.Close()
	var last []kafka.Message
	for range n {
		m, err := r.FetchMessage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		last = append(last, m)
	}
	if err := r.CommitMessages(ctx, last...); err != nil {
		t.Fatal(err)
	}
}

// crashed returns a copy of the data of a running broker, which is what a crash at this moment leaves.
func crashed(t *testing.T, dir string) string {
	t.Helper()
	left := filepath.Join(t.TempDir(), "left")
	if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return left
}

func bounds(b *Broker, topic string, partition int32) (first, end int64) {
	p := b.cluster.PartitionInfo(topic, partition)
	return p.LogStartOffset, p.HighWatermark
}

func TestRecordsAndOffsetsSurviveARestartOnTheSameAddress(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "if", "missing")
	b := start(t, Options{DataDir: dir})
	createTopic(t, b, "receipts", 1)
	publish(t, b, "receipts", 30, 10)
	consume(t, b, "premium", "receipts", 20)
	addr := b.Addr()
	b.Close()

	b = start(t, Options{DataDir: dir, Listen: addr})
	defer b.Close()
	if b.Addr() != addr {
		t.Errorf("address is %s, want %s", b.Addr(), addr)
	}
	if _, end := bounds(b, "receipts", 0); end != 30 {
		t.Errorf("log ends at %d, want 30", end)
	}
	consume(t, b, "premium", "receipts", 10)
	if got := b.cluster.GroupInfo("premium").Commits["receipts"][0].Offset; got != 30 {
		t.Errorf("committed %d, want 30", got)
	}
}

func TestTrimmingDeletesOnlyWhatEveryGroupHasHandled(t *testing.T) {
	b := start(t, Options{DataDir: t.TempDir()})
	defer b.Close()
	for _, topic := range []string{"receipts", "receipts.dead"} {
		createTopic(t, b, topic, 1)
		publish(t, b, topic, 100, 10)
	}
	consume(t, b, "premium", "receipts", 80)
	consume(t, b, "audit", "receipts", 45)
	trim := func(wantFirst int64) {
		t.Helper()
		if err := b.trim(t.Context(), clientOf(t, b)); err != nil {
			t.Fatal(err)
		}
		if first, end := bounds(b, "receipts", 0); first != wantFirst || end != 100 {
			t.Errorf("log is from %d to %d, want %d to 100", first, end, wantFirst)
		}
	}
	trim(44)
	consume(t, b, "audit", "receipts", 55)
	trim(79)
	consume(t, b, "premium", "receipts", 20)
	trim(99)
	if first, end := bounds(b, "receipts.dead", 0); first != 0 || end != 100 {
		t.Errorf("dead letters are from %d to %d, want all from 0 to 100", first, end)
	}
}

func TestGroupThatHasCommittedNothingKeepsAll(t *testing.T) {
	b := start(t, Options{DataDir: t.TempDir()})
	defer b.Close()
	createTopic(t, b, "receipts", 1)
	publish(t, b, "receipts", 100, 10)
	consume(t, b, "premium", "receipts", 100)
	late, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: "audit", Brokers: []string{b.Addr()},
		Topics: []string{"receipts"}})
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if _, err := late.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.trim(t.Context(), clientOf(t, b)); err != nil {
		t.Fatal(err)
	}
	if first, _ := bounds(b, "receipts", 0); first != 0 {
		t.Errorf("log is from %d, want 0", first)
	}
}

func TestATrimmedLogGoesOnWhereItEnded(t *testing.T) {
	dir := t.TempDir()
	b := start(t, Options{DataDir: dir})
	createTopic(t, b, "receipts", 1)
	publish(t, b, "receipts", 100, 10)
	consume(t, b, "premium", "receipts", 100)
	if err := b.trim(t.Context(), clientOf(t, b)); err != nil {
		t.Fatal(err)
	}
	left := crashed(t, dir)
	b.Close()

	for name, dir := range map[string]string{"after a stop": dir, "after a crash": left} {
		t.Run(name, func(t *testing.T) {
			b := start(t, Options{DataDir: dir})
			defer b.Close()
			publish(t, b, "receipts", 5, 1)
			if _, end := bounds(b, "receipts", 0); end != 105 {
				t.Errorf("log ends at %d, want 105", end)
			}
			consume(t, b, "premium", "receipts", 5)
		})
	}
}

func TestAcknowledgedRecordsSurviveACrash(t *testing.T) {
	dir := t.TempDir()
	b := start(t, Options{DataDir: dir})
	defer b.Close()
	createTopic(t, b, "receipts", 4)
	publish(t, b, "receipts", 400, 7)
	consume(t, b, "premium", "receipts", 400)
	publish(t, b, "receipts", 40, 7)

	after := start(t, Options{DataDir: crashed(t, dir)})
	defer after.Close()
	consume(t, after, "premium", "receipts", 40)
}

// TestOnlyWhoKnowsThePasswordReachesTheBroker starts a broker with a secret twice on one folder.
func TestOnlyWhoKnowsThePasswordReachesTheBroker(t *testing.T) {
	dir := t.TempDir()
	var before string
	for range 2 {
		b := start(t, Options{DataDir: dir, Secret: true})
		stranger := clientOf(t, b)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if _, err := stranger.Metadata(ctx, &kafka.MetadataRequest{}); err == nil {
			t.Error("a client without the password is served")
		}
		reached, err := SettingsIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		password, err := os.ReadFile(reached.PasswordFile)
		if err != nil {
			t.Fatal(err)
		}
		mechanism, err := scram.Mechanism(scram.SHA256, reached.User, strings.TrimSpace(string(password)))
		if err != nil {
			t.Fatal(err)
		}
		known := &kafka.Client{Addr: kafka.TCP(reached.Brokers...), Transport: &kafka.Transport{SASL: mechanism}}
		if _, err := known.Metadata(ctx, &kafka.MetadataRequest{}); err != nil {
			t.Errorf("a client with the password: %v", err)
		}
		known.Transport.(*kafka.Transport).CloseIdleConnections()
		cancel()
		if before != "" && before != string(password) {
			t.Error("the second start has another password")
		}
		before = string(password)
		b.Close()
	}
}

func TestAddressInUseIsAnError(t *testing.T) {
	b := start(t, Options{DataDir: t.TempDir()})
	defer b.Close()
	if _, err := Start(Options{Listen: b.Addr(), DataDir: t.TempDir(), Log: silent}); err == nil {
		t.Error("two brokers listen on one address")
	}
}

// BenchmarkStart starts a broker that holds 200,000 messages, a hundred to a batch.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	first := start(b, Options{DataDir: dir})
	createTopic(b, first, "receipts", 4)
	publish(b, first, "receipts", 200_000, 100)
	first.Close()
	for b.Loop() {
		start(b, Options{DataDir: dir}).Close()
	}
}

// TestWhatIsNoRequestEndsItsConnection sends what others than clients of Kafka send. The broker goes on, and reserves
// nothing for it.
func TestWhatIsNoRequestEndsItsConnection(t *testing.T) {
	b := start(t, Options{DataDir: t.TempDir()})
	defer b.Close()
	createTopic(t, b, "events", 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for what, sent := range map[string]string{
		"HTTP":             "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a negative size":  "\xff\xff\xff\xff\x00\x00\x00\x00",
		"an empty request": "\x00\x00\x00\x00\x00\x00\x00\x00",
		"an unknown kind":  "\x00\x00\x00\x0a\x27\x0f\x00\x00\x00\x00\x00\x00\xff\xff",
		"the second of two": "\x00\x00\x00\x0a\x00\x12\x00\x00\x00\x00\x00\x00\xff\xff" +
			"\x00\x00\x00\x0a\x27\x0f\x00\x00\x00\x00\x00\x00\xff\xff",
		"a size that is too great": "\x00\x80\x00\x01\x00\x00\x00\x00",
	} {
		conn, err := net.Dial("tcp", b.Addr())
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, sent); err != nil {
			t.Fatal(err)
		}
		// What responds to requests before is read as well; the end of the connection may be a reset.
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection does not end", what)
		}
		_ = conn.Close()
	}
	runtime.ReadMemStats(&after)
	if reserved := after.TotalAlloc - before.TotalAlloc; reserved > 64<<20 {
		t.Errorf("%d MB were reserved", reserved>>20)
	}
	publish(t, b, "events", 10, 5)
	consume(t, b, "readers", "events", 10)
}
