// Package webhook sends the events of the feed to the receivers that callers name, signed as Standard Webhooks has it.
//
// A webhook is one document, which each change replaces if its version still stands. It holds the place in the logs, so
// that an event is repeated after a crash and never passed over. One replica at a time delivers the events of a
// webhook: the document names it. Another one takes over when the document has not changed for some time by its own
// ticks, so that neither the clocks of hosts nor a test clock decide.
//
// The library of Standard Webhooks signs. Servers that deliver webhooks (Svix, Convoy) would take all of this package,
// and bring a database of their own, in which events would be stored a second time; queues of jobs for Go (River,
// Asynq) need PostgreSQL or Redis.
//
// Its files, in the order in which a webhook meets them:
//
//	hooks.go     the webhooks of an exchange: put, read, delete, replay
//	endpoint.go  one webhook as it is stored
//	use.go       the actions that were made with an Idempotency-Key
//	trial.go     sends a test event
//	address.go   which receivers are on the public internet
//	deliver.go   has the next events of each webhook sent, in order
//	send.go      signs an event and sends it once
//	metrics.go   how far each webhook is
package webhook
