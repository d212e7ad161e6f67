// Package jsonobject reads and compares JSON objects as text: it decodes a body into a struct with every violation
// named by its JSON pointer, and splits objects into members and joins them again without losing a digit.
//
// go-json-experiment, which is to become encoding/json/v2, parses and decodes here. It leaves five things to this
// package: all violations of a body, where it stops at the first; bounds that hold before anything is parsed
// (bounds.go); a canonical form with exact numbers, where that of RFC 8785 rounds to binary floats (canonical.go);
// aliases and flattened objects that differ by resource (rename.go); and members as they were written, without a copy
// of a large record (members.go, package jsonmember).
//
// Its files, in the order in which a text meets them:
//
//	decode.go        decodes a text into a struct; the members that its type does not name
//	bounds.go        refuses a text beyond a bound before it is parsed
//	violations.go    every member with a value of the wrong type
//	rename.go        members that were sent under a further name, or in an object
//	members.go       the members of an object as package jsonmember reads them, and objects made of members
//	canonical.go     one text for equal values; whether two texts are equal
package jsonobject
