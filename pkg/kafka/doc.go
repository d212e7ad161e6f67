// Package kafka carries messages between services. A Publisher publishes to a topic. A Consumer calls a handler with
// each message and then commits its offset. Nothing depends on a message arriving: what one is about keeps a mark, by
// which package outbox finds it. So the consumer leaves a message that fails several times, and a message may be
// handled several times, late, or in another order.
//
// kafka-go gives the connections, the writer, the membership of the group with its rebalances, and a reader of each
// partition. Its Reader for groups would also replace the consumer's own loop, but it only logs why a group cannot be
// joined, and the readiness check has to say that; and it does not return to the start of a log that ends before the
// committed offset.
//
// The files, in the order in which a message meets them:
//
//	cluster.go     how to reach the brokers: timeouts, TLS
//	sasl.go        the password, read from its file at each connection
//	topic.go       a topic and its dead letters, created if missing
//	topiccheck.go  how a topic that exists differs from what is needed
//	client.go      one process at the brokers, by kafka-go
//	message.go     a message, and the errors that make it poison
//	publisher.go   publishes messages to a topic
//	writer.go      what of a batch the brokers have certainly stored
//	consumer.go    joins the group and runs each generation of it
//	group.go       the membership of the group, by kafka-go
//	reader.go      the reader of a partition, by kafka-go
//	partition.go   fetches a batch, has it handled, commits
//	handle.go      equal messages once, three attempts, then leave; poison to the dead letters
//	deadletters.go lists the dead letters and puts them back
//	lag.go         how far the consumer is behind
//	trace.go       the spans of sending and handling
//	metrics.go     the metrics of the consumer
//	explain.go     which setting or right an error of a broker is about
//
// Package broker is the interface between this package and the brokers, which the simulation implements as well.
// Package cluster has the settings, and kafkatest a broker for tests.
package kafka
