// Package rest turns the declaration of a resource into its HTTP operations: create, list, read, replace and actions,
// with checks in their order, idempotency, conditional requests, paging and problem documents. It knows no insurance:
// a service declares its resources with it, and its declarations read like the tables of the interface.
//
// # The words of a declaration
//
// A Resource is what one path segment stands for. Its records have the type T, a pointer to a struct:
//
//   - A field's tag `set:"Name"` says that its values are those of a value set. `issued`, `fixed` and `kept` say that
//     it is not the caller's to change: the exchange issues it, the caller fixes it on creation, or the exchange
//     keeps it and ignores what is sent. `issued:"Name"` names the value set of a state. `refers:"vehicle"` says that
//     a value names a record of a collection by its id, `refers:"claim.claimNumber"` by a unique value, and
//     `refers:"personal,commercial"` a record of one of several; an examination of stored records looks it up.
//   - `reference` says that it is the name which callers give to the record. It has values since some release; what a
//     record of an earlier one has under its name is kept and means nothing. Draft.Resolve takes such names.
//   - `identity` says that a text identifies something, as the number of a passport does. It is kept as sent, compared
//     in Unicode NFC, and has no characters that a reader does not see.
//   - Aliases are further names for a member. Flatten names objects whose members are read as the record's own.
//   - A Filter is a query parameter of the list; Exact, Whole, Prefix and DateRange make one. Each is an index.
//   - Search are the members that /x/search/{resource} takes; search.Text, search.Name and others make one each.
//   - A Unique is a value that no two records share. The index keeps it unique; Taken is the refusal.
//
// What must hold:
//
//   - A Check is one condition. Checks are the rows of the errors table, in its order; the first that fails decides.
//     Rules are what no row lists; all their violations are reported together.
//   - A check runs at every write. Only one that names what it DependsOn is left out, where none of those members
//     changed.
//   - Requires are the members without which a check cannot be evaluated. Refuses are the problems that it returns.
//   - A Fact is what checks look up, such as the record that a member refers to. The first check that needs it loads
//     it.
//   - RefersTo, EachRefersTo, OneIn, EachIn, AboveZero, Present and Untaken are the checks that many resources have.
//
// What happens to a record:
//
//   - A Draft is a record on its way to be written. Issue gives a new draft what the exchange issues; Pin gives it
//     index values that never change.
//   - Status is the member that holds the state. An Action is an operation on one record, and a Move a transition
//     that it makes, from one state to another; AnyState stands for an action that makes none.
//   - Act makes an action that changes the record. Spawn makes one that writes a second record. An Amending action
//     takes members of the record in its body.
//   - A PUT replaces the whole record; with Merge, the members sent. Immutable refuses every other content.
//   - Extra are members of a response that are not the record's.
//
// Beyond the interface, a DryRun returns the outcome of every check on a body without writing it, and every record
// has a history.
//
// A declaration that contradicts itself, or names a member, a value set or a state that does not exist, stops the start
// with the name of the resource and of the declaration.
//
// # The files, in the order in which a request meets them
//
//	service.go      a service of such resources, with the settings that all have
//	server.go       routes and their methods
//	body.go         reads a body and decodes a record; writes responses, from an error to its status
//	names.go        the names that a body may have; warnings and hints for others
//	idempotency.go  Idempotency-Key, which package idempotency reads
//	create.go       POST of a new record
//	read.go         a stored record; its GET, with the conditions that package condition judges, and by its number
//	list.go         GET of a page and its cursors, which package sealed seals; what was, from package history
//	search.go       /x/search/{resource}, by packages search and embed
//	replace.go      PUT
//	action.go       the declaration of an action and its moves
//	act.go          POST of an action; bodies that amend a record, actions that make a second record
//	change.go       read, decide, replace if the version is still the one read
//	check.go        a check, a fact, the order in which checks run, and the checks that many resources have
//	reference.go    the names that callers give to records, and records that a body names by them
//	dryrun.go       /x/{resource}/{dryrun}
//	trial.go        creations that are tried together, for a batch
//	extension.go    /x: what is declared beyond the interface
//	members.go      the tags of a struct: who sets a member, and its value set
//	store.go        from documents to records and back
//	collections.go  the collections and indexes that the resources need
//	resource.go     the words of a declaration, and its filters; lists that never change
//	validate.go     what is wrong with a declaration
//	describe.go     what a declaration says, for documents and for package inspect
//
// No router or ORM replaces this: they carry requests to functions and structs to tables, and the package is what comes
// between, the order of checks and what is kept of each write. Routing is gin's, JSON is go-json-experiment's.
package rest
