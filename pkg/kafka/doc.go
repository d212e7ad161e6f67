// Package kafka carries messages between services: a Cluster is how to reach the brokers, a Publisher publishes to a
// topic, and a Consumer calls a handler with each message until it is handled, and only then commits its offset. A
// message that can never be handled goes to a dead-letter topic.
package kafka
