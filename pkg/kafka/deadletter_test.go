package kafka_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/wait"
)

// TestWhatCannotBeHandledBecomesADeadLetter: it holds nothing up, and is written again until it is stored. The letter
// has the message, and says why and where it was; the log says that without the message, which is somebody's data.
func TestWhatCannotBeHandledBecomesADeadLetter(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		b.makeTopics()
		var refused atomic.Int32
		b.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
			b.KeepControl()
			produce := r.(*kmsg.ProduceRequest)
			if produce.Topics[0].Topic != "receipts.dead" || refused.Add(1) > 3 {
				return nil, nil, false
			}
			response := produce.ResponseKind().(*kmsg.ProduceResponse)
			topic := kmsg.NewProduceResponseTopic()
			partition := kmsg.NewProduceResponseTopicPartition()
			partition.ErrorCode = kerr.NotEnoughReplicas.Code
			topic.Topic, topic.Partitions = "receipts.dead", append(topic.Partitions, partition)
			response.Topics = append(response.Topics, topic)
			return response, nil, true
		})
		of := func(value string) kafkago.Message {
			return kafkago.Message{Key: []byte("policy-4711"), Value: []byte(value),
				Headers: []kafkago.Header{{Key: "traceparent", Value: []byte("1")}}}
		}
		b.publish("receipts", of("before"), of("poison"), of("after"))
		var seen register
		c := newConsumer(b, seen.handle)
		stop := kafkatest.Running(t, c.Run)
		wait.For(t, "what follows is handled", func() bool { return seen.distinct() == 2 })
		stop()
		if seen.last.Trace != "1" || string(seen.last.Key) != "policy-4711" {
			t.Errorf("the handler has got %+v", seen.last)
		}
		letter := b.read("receipts.dead", 1)[0]
		headers := ""
		for _, h := range letter.Headers {
			headers += fmt.Sprintf("%s=%s;", h.Key, h.Value)
		}
		const want = "traceparent=1;dead-letter-reason=not a message of ours;dead-letter-topic=receipts;"
		if string(letter.Key) != "policy-4711" || string(letter.Value) != "poison" ||
			!strings.HasPrefix(headers, want) || !strings.Contains(headers, kafka.HeaderDeadOffset+"=1;") {
			t.Errorf("the dead letter is %s: %s (%s)", letter.Key, letter.Value, headers)
		}
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_dead_letters_total"); got != 1 || refused.Load() != 4 {
			t.Errorf("%v are counted after %d attempts, want 1 after 4", got, refused.Load())
		}
		if c.log.Count("not a message of ours") != 1 || c.log.Count("4711") > 0 {
			t.Errorf("the log says %d times why, and %d times whose it is", c.log.Count("not a message of ours"),
				c.log.Count("4711"))
		}
		if got := b.committed("premium", "receipts"); got != 3 {
			t.Errorf("%d are committed, want 3", got)
		}
	})
}

// TestADeadLetterMayBeLongerThanAMessage: it has more headers than its message, which may be as long as they can be.
func TestADeadLetterMayBeLongerThanAMessage(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		var seen register
		c := newConsumer(b, func(m kafka.Message) error {
			if len(m.Value) > 1000 {
				m.Value = []byte("poison")
			}
			return seen.handle(m)
		})
		kafkatest.Running(t, c.Run)
		wait.For(t, "the topics are there", func() bool {
			return len(b.PartitionInfos("receipts.dead")) == 1
		})
		b.publish("receipts", kafkago.Message{Key: []byte("k"), Value: make([]byte, 1<<20-200)})
		wait.For(t, "the letter is there", func() bool { return b.Stored("receipts.dead") == 1 })
	})
}
