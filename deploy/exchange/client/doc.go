// Package client holds the commands that call an exchange from a command line. They use only its public HTTP
// interface. They read from the OpenAPI document which resources there are and which members these have.
//
// The files, in the order in which a command meets them:
//
//	client.go         the commands, their arguments, the settings of commands on the data of an exchange
//	complete.go       what a shell completes
//	connection.go     the flags that say how to reach the exchange
//	caller.go         sending a request, again where that is safe; the requests of a book
//	reach.go          what is wrong where no exchange responds
//	inforce.go        the resources and value sets of the exchange that is called
//	read.go           get
//	list.go           list and search, page by page
//	describe.go       describe
//	write.go          create, put and action
//	print.go          records as JSON
//	screen.go         records as a table on a screen
//	import.go         import: its flags and its outcome
//	source.go         the formats of files, and NDJSON
//	check.go          --dry-run of NDJSON: records compared with the OpenAPI document
//	import_run.go     the records of NDJSON on their way, with their idempotency keys, and those that are refused
//	import_table.go   a table: sent to the exchange, which checks it and makes its records
//	table_file.go     a table on this machine: its header and how it is written
//	table_words.go    what is said of a table and of its rows
//	table_rejects.go  the file of refused rows
//	export.go         export, and its records until all columns are known
//	references.go     the callers' own names of records in place of their ids
//	seed.go           seed: the invented book of package book
//	failure.go        errors: what is printed, the names that are similar to a misspelt one, and the exit status
//
// Tables are read by the desk of the exchange, so that a file means the same wherever it is sent from; what is refused
// of one is written from the file itself, with pkg/sheet. Package table writes workbooks and CSV;
// schemas are checked with jsonschema. What is left here is what they have not: columns from members of records, keys
// that survive a corrected file, and memory that does not grow with the file.
package client
