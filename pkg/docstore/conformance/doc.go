// Package conformance states what a docstore.Store guarantees, as tests that every store must pass.
//
// The files:
//
//	conformance.go     Run, the tiers that follow, and what they share
//	records.go         a read returns what was stored, and what is refused
//	writes.go          unique values are unique, and a replacement needs the version that was read
//	history.go         former versions are kept, and do not change
//	finds.go           a find selects what a search through all would
//	outbox.go          the unsent mark
//	contention.go      one of several writers succeeds
//	refusals.go        what has ended, or is asked in nobody's name, does nothing
//	owners.go          an organisation sees what it owns, and all else is as if it did not exist
//	ranges.go          Ranges: long ranges and short ones
//	changes.go         Changes: the log of changes
//	migration.go       Migrations: indexes that are added to stored documents
//	following.go       nothing appears behind a place that a follower was given
//
// What package shared makes of a store is tested beside it, once, over the embedded store.
package conformance
