// Package document generates the documents about the interface: the OpenAPI document for callers, an OpenAPI document
// of the internal operations of each service, an AsyncAPI document of its messages, and the interface as a page. It
// takes everything from the declarations of the services and the structs of the contracts. The library kin-openapi
// models, validates and writes OpenAPI; what is here is the way from a declaration to it, which no library knows.
//
// Its files, in the order in which a declaration meets them:
//
//	document.go    builds the OpenAPI document for callers, resource by resource
//	operations.go  list, read, create and replace
//	actions.go     the actions, and the operations beyond the interface
//	access.go      how callers authenticate
//	parts.go       what operations share: parameters, headers, the forms of responses
//	records.go     a record as it is sent, changed and returned
//	schemas.go     from Go types to schemas
//	words.go       the comments of the contracts, which become descriptions
//	problems.go    refusals
//	examples.go    examples of requests and responses
//	internal.go    builds the document of a service's internal operations
//	messages.go    builds the document of its messages
//	page.go        writes the interface as a page to read
package document
