package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
)

// headerReplayed marks a message of the dead-letter topic that is no dead letter. It names the one that was put back.
const headerReplayed = "dead-letter-replayed"

// readPatience is how long reading the dead letters waits for the next one.
const readPatience = 15 * time.Second

// ErrNotReplayable is the error for a dead letter that cannot be put back.
var ErrNotReplayable = errors.New("kafka: the dead letter cannot be put back")

// DeadLetter is a message that could not be handled.
type DeadLetter struct {
	// Name names the dead letter: the partition and the offset that it has in the dead-letter topic, as in 0-17.
	Name string
	// Message is the message as it was, without the headers that the dead letter has in addition.
	Message Message
	// Topic, Partition and Offset say where the message was.
	Topic     string
	Partition int
	Offset    int64
	// Reason is why it could not be handled.
	Reason string
	// At is when it became a dead letter. Replayed is when it was last put back; the zero time if never.
	At, Replayed time.Time
}

// DeadLetters reads the dead letters of a topic and puts them back. That a dead letter was put back is noted in the
// dead-letter topic itself.
type DeadLetters struct {
	cluster   Cluster
	topic     Topic
	transport *kafka.Transport
	client    *kafka.Client
}

// OpenDeadLetters returns the dead letters of a topic. It does not ask the brokers yet.
func OpenDeadLetters(c Cluster, topic Topic) *DeadLetters {
	transport := c.transport(topic, topic.DeadLetters())
	return &DeadLetters{cluster: c, topic: topic, transport: transport, client: c.client(transport)}
}

// Close closes the connections.
func (d *DeadLetters) Close() { d.transport.CloseIdleConnections() }

// Each calls visit with each dead letter that exists when it is called, in the order of their failure within each
// partition. It visits none if there is no topic of dead letters. It returns the error of visit, or of reading.
func (d *DeadLetters) Each(ctx context.Context, visit func(DeadLetter) error) error {
	// Kafka may respond although the context has ended.
	if err := ctx.Err(); err != nil {
		return err
	}
	logs, err := d.logs(ctx)
	if err != nil {
		return explained(err)
	}
	// What was put back is known only after the last message was read, so the messages are read twice.
	replayed := make(map[string]time.Time)
	for _, log := range logs {
		err := d.read(ctx, log, func(m kafka.Message) error {
			if name, is := headerOf(m, headerReplayed); is {
				replayed[name] = m.Time
			}
			return nil
		})
		if err != nil {
			return explained(err)
		}
	}
	for _, log := range logs {
		err := d.read(ctx, log, func(m kafka.Message) error {
			if _, is := headerOf(m, headerReplayed); is {
				return nil
			}
			letter := deadLetter(m)
			letter.Replayed = replayed[letter.Name]
			return visit(letter)
		})
		if err != nil {
			return explained(err)
		}
	}
	return nil
}

// logs returns where the log of each partition of the dead-letter topic begins and ends.
func (d *DeadLetters) logs(ctx context.Context) ([]kafka.PartitionOffsets, error) {
	name := d.topic.DeadLetters().Name
	metadata, err := d.client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{name}})
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for topic %s: %w", name, err)
	}
	switch found := metadata.Topics[0]; {
	case errors.Is(found.Error, kafka.UnknownTopicOrPartition):
		return nil, nil
	case found.Error != nil:
		return nil, fmt.Errorf("kafka: asking for topic %s: %w", name, found.Error)
	}
	var wanted []kafka.OffsetRequest
	for partition := range metadata.Topics[0].Partitions {
		wanted = append(wanted, kafka.FirstOffsetOf(partition), kafka.LastOffsetOf(partition))
	}
	offsets, err := d.client.ListOffsets(ctx,
		&kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{name: wanted}})
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for the offsets of topic %s: %w", name, err)
	}
	logs := make([]kafka.PartitionOffsets, len(metadata.Topics[0].Partitions))
	for _, log := range offsets.Topics[name] {
		if log.Error != nil {
			return nil, fmt.Errorf("kafka: asking for the offsets of topic %s: %w", name, log.Error)
		}
		logs[log.Partition] = log
	}
	return logs, nil
}

// read calls visit with the messages of a partition.
func (d *DeadLetters) read(ctx context.Context, log kafka.PartitionOffsets, visit func(kafka.Message) error) error {
	if log.FirstOffset >= log.LastOffset {
		return nil
	}
	name := d.topic.DeadLetters().Name
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: d.cluster.Brokers, Dialer: d.cluster.dialer(), Topic: name, Partition: log.Partition,
		MinBytes: 1, MaxBytes: d.topic.DeadLetters().maxBytes(), MaxWait: fetchWait, ReadLagInterval: -1,
	})
	defer reader.Close()
	if err := reader.SetOffset(log.FirstOffset); err != nil {
		return err
	}
	for next := log.FirstOffset; next < log.LastOffset; {
		fetching, cancel := context.WithTimeout(ctx, readPatience)
		m, err := reader.FetchMessage(fetching)
		cancel()
		if err != nil {
			return fmt.Errorf("kafka: reading topic %s, partition %d from offset %d: %w", name,
				log.Partition, next, err)
		}
		if err := visit(m); err != nil {
			return err
		}
		next = m.Offset + 1
	}
	return nil
}

// deadLetter returns the dead letter that a message of the dead-letter topic is.
func deadLetter(m kafka.Message) DeadLetter {
	letter := DeadLetter{
		Name: fmt.Sprintf("%d-%d", m.Partition, m.Offset), Message: Message{Key: m.Key, Value: m.Value}, At: m.Time,
		Partition: -1, Offset: -1,
	}
	for _, h := range m.Headers {
		switch value := string(h.Value); h.Key {
		case HeaderDeadReason:
			letter.Reason = value
		case HeaderDeadTopic:
			letter.Topic = value
		case HeaderDeadPartition:
			if number, err := strconv.Atoi(value); err == nil {
				letter.Partition = number
			}
		case HeaderDeadOffset:
			if number, err := strconv.ParseInt(value, 10, 64); err == nil {
				letter.Offset = number
			}
		case HeaderDeadKey:
		default:
			letter.Message.Headers = append(letter.Message.Headers, Header(h))
		}
	}
	return letter
}

func headerOf(m kafka.Message, key string) (value string, found bool) {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value), true
		}
	}
	return "", false
}

// Replay puts a dead letter back on its topic, and then notes that. A crash between the two leaves it without a note,
// so that it may be put back once more; handlers bear that. It returns an error that wraps ErrNotReplayable if the
// dead letter is not from this topic.
func (d *DeadLetters) Replay(ctx context.Context, letter DeadLetter) error {
	if letter.Topic != d.topic.Name {
		return fmt.Errorf("%w: %s is from topic %q and not from %s", ErrNotReplayable, letter.Name,
			letter.Topic, d.topic.Name)
	}
	note := Message{Key: letter.Message.Key, Headers: []Header{{Key: headerReplayed, Value: []byte(letter.Name)}}}
	for _, step := range []struct {
		to      Topic
		message Message
	}{{d.topic, letter.Message}, {d.topic.DeadLetters(), note}} {
		writer := newWriter(d.cluster, d.transport, step.to, 1)
		_, err := publish(ctx, writer, records(step.message))
		if err = errors.Join(err, writer.Close()); err != nil {
			return fmt.Errorf("kafka: putting dead letter %s back, writing to %s: %w", letter.Name, step.to.Name,
				explained(err))
		}
	}
	return nil
}
