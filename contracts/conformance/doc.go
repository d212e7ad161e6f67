// Package conformance tries an implementation of the Insurance Exchange Service against the interface, from outside:
// it sends requests as any caller would and checks the responses. The rules come from tables that have the same form
// as those of the interface. The package shares no code with any implementation. A run leaves behind only the records
// that it has created. Each run uses new values, so it can be repeated on the same store.
//
// Its files, a run first, then what it sends, then the rules of a record, then those of the business:
//
//	command.go       the flags of the command, and how it ends
//	conformance.go   the options of a run, the areas of rules, and the goroutines that try them
//	probe.go         one rule being tried: it fails, skips, and reads lists page by page
//	request.go       a request
//	response.go      its response, and what a rule expects of it
//	report.go        the result of each rule, printed as lines, JSON or JUnit XML
//	fields.go        the resources and their fields, as the interface lists them
//	sample.go        the bodies that are sent, and the records that the rules of a run share
//	values.go        the value sets, and their rules
//	scalars.go       valid and invalid values of each type of a field
//	records.go       records are created, read and returned with the members of the payload table
//	lists.go         filters, pages and links
//	replacements.go  replacements; ETag, If-Match and If-None-Match
//	syntax.go        bodies that are no JSON object, media types, and the limits of bodies and parameters
//	idempotency.go   Idempotency-Key
//	access.go        tokens and scopes
//	errortable.go    the rows of the errors table
//	errors.go        each row alone, and each pair of neighbours together
//	transitions.go   the states of policies and claims
//	terms.go         terms and endorsements of a policy
//	claims.go        claims against policies of every line
//	receipts.go      receipts, refunds and the bordereau
//	beyond.go        histories, the dry run of a claim, the search, the feed and the test clock, under /x/
//	together.go      batches, a policy with what belongs to it, contracts and bordereaux
package conformance
