// Package kafka carries messages between services: a Cluster is how to reach the brokers, a Publisher publishes to a
// topic, and a Consumer calls a handler with each message until it is handled, and only then commits its offset. A
// message that can never be handled goes to a dead-letter topic.
//
// kafka-go speaks the protocol. Its Reader for a consumer group would leave the handling in lanes, the dead letters and
// the check of topics; the group is read by its ConsumerGroup, because a handler may finish messages in any order.
//
// Its files, in the order in which a message meets them:
//
//   - cluster.go and sasl.go say how the brokers are reached; explain.go says which setting an error is about.
//   - message.go is a message; publisher.go publishes it, through client.go and writer.go; trace.go carries its trace.
//   - topic.go describes a topic and creates it; topiccheck.go compares it with the one that is there.
//   - consumer.go joins a group (group.go) and handles what it is given (assignment.go).
//   - fetch.go and reader.go read a partition; lanes.go orders messages by key and handles equal ones once.
//   - handle.go calls the handler, and sends what cannot be handled to the dead-letter topic.
//   - progress.go knows which offset may be committed; lag.go measures what is left; metrics.go exports it.
//   - deadletters.go lists and replays dead letters.
package kafka
