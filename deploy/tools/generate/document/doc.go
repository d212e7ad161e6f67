// Package document generates the documents about the interface: the OpenAPI document for callers, an OpenAPI document
// of the internal operations of each service, an AsyncAPI document of its messages, and the interface as a page. It
// takes everything from the declarations of the services and the structs of the contracts. The library kin-openapi
// models, validates and writes OpenAPI; what is here is the way from a declaration to it, which no library knows.
//
// Its files, in the order in which a declaration meets them:
//
//   - document.go builds the OpenAPI document for callers, resource by resource.
//   - operations.go describes list, read, create and replace; actions.go the actions and the operations beyond the
//     interface; access.go how callers authenticate.
//   - parts.go holds what operations share: parameters, headers, the forms of responses.
//   - records.go describes a record as it is sent, changed and returned; schemas.go turns Go types into schemas.
//   - words.go reads the comments of the contracts, which become descriptions.
//   - problems.go describes refusals; examples.go adds examples of requests and responses.
//   - internal.go builds the document of a service's internal operations, and messages.go that of its messages.
//   - page.go writes the interface as a page to read.
package document
