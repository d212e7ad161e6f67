// Package webhook sends the events of the feed to the receivers that callers name, signed as Standard Webhooks has it.
//
// A webhook is one document, which each change replaces if its version still stands. It holds the place in the logs, so
// that an event is repeated after a crash and never passed over. One replica at a time delivers the events of a
// webhook: the document names it. Another one takes over when the document has not changed for some time by its own
// ticks, so that neither the clocks of hosts nor a test clock decide.
package webhook
