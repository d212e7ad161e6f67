// Package merged reads the logs of changes of several services as one, in the order of the instants at which their
// stores logged the changes.
//
// An entry is read once no other log can have an earlier one: each log says with every page from which instant on its
// later entries are (its watermark). What a request caused in another service was logged later, so that it comes
// later, as far as the clocks of the stores agree. Entries of the same millisecond are in the order of the services,
// each after those that it calls. A service that does not respond is left out; its entries come when it responds again.
// The entries of one record are always in order, because they are in one log.
//
// No library reads this: the logs and their watermarks are those of our stores. Kafka Connect and Debezium read
// MongoDB's own log, which SQLite and MongoDB's stand-ins have not.
package merged
