package kafka_test

import (
	"testing"

	kafkago "github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/wait"
)

// TestWhatIsNotUnderstoodHoldsNothingUp: the log says why and where it is, without the message, which is somebody's
// data.
func TestWhatIsNotUnderstoodHoldsNothingUp(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		b.makeTopics()
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
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_not_understood_total"); got != 1 {
			t.Errorf("%v are counted, want 1", got)
		}
		if c.log.Count("not a message of ours") != 1 || c.log.Count("offset=1 ") != 1 || c.log.Count("4711") > 0 {
			t.Errorf("the log is %s", c.log)
		}
		if got := b.committed("premium", "receipts"); got != 3 {
			t.Errorf("%d are committed, want 3", got)
		}
	})
}
