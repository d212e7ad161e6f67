// Package kafka carries messages between the processes of a service. A Publisher publishes to a topic, and a Consumer
// calls a handler with each message, as a member of a group that shares the topic. Nothing depends on a message
// arriving: what one is about keeps a mark, by which package outbox finds it. So a message that cannot be published is
// left, and a message may be handled several times, late, or in another order, or be lost.
//
// kafka-go does the work: the writer, the reader, the group with its rebalances.
//
// The files, in the order in which a message meets them:
//
//	cluster.go    how to reach the brokers: timeouts, TLS
//	sasl.go       the password, read from its file at each connection
//	topic.go      a topic and its dead letters, created if missing
//	publisher.go  publishes messages to a topic
//	consumer.go   handles the messages of a topic; those that no handler understands become dead letters
//	explain.go    which setting or right an error of a broker is about
//
// Package cluster has the settings, and kafkatest a broker for tests.
package kafka
