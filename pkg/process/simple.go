package process

import "bytes"

// simple is a request that needs no more than its first line, its header and the length of its body to be understood.
type simple struct {
	method, path []byte
	// id and parent are the values of X-Request-Id and traceparent; empty if there are none.
	id, parent []byte
	// rest is how much of the body is behind what was read, in bytes.
	rest int
}

// readSimple reads a request at the beginning of what a connection got in one piece. It reports false where there
// could be any doubt about where the request ends, or where more than its path decides what becomes of it: then
// net/http reads it. So it knows nothing but HTTP/1.1, the methods of the interface, paths that are written as they
// are, each line ended by CRLF, and at most one Content-Length; what follows the request in the same piece is such a
// doubt as well.
func readSimple(piece []byte) (simple, bool) {
	var r simple
	header := bytes.Index(piece, []byte("\r\n\r\n"))
	if header < 0 {
		return r, false
	}
	line, fields, _ := bytes.Cut(piece[:header+len("\r\n")], []byte("\r\n"))
	if !r.readLine(line) {
		return r, false
	}
	hosts, length := 0, -1
	for len(fields) > 0 {
		line, fields, _ = bytes.Cut(fields, []byte("\r\n"))
		name, value, found := bytes.Cut(line, []byte(":"))
		value = bytes.Trim(value, " \t")
		if !found || !isName(name) || !isText(value) {
			return r, false
		}
		switch known := fieldOf(name); known {
		case hostField:
			hosts++
			if len(value) == 0 || bytes.ContainsFunc(value, notOfHost) {
				return r, false
			}
		case lengthField:
			if length >= 0 {
				return r, false
			}
			if length = lengthOf(value); length < 0 {
				return r, false
			}
		case connectionField:
			if !bytes.EqualFold(value, []byte("keep-alive")) {
				return r, false
			}
		case idField, parentField:
			into := &r.id
			if known == parentField {
				into = &r.parent
			}
			if *into != nil || len(value) == 0 {
				return r, false
			}
			*into = value
		case doubtfulField:
			return r, false
		}
	}
	hasBody := string(r.method) == "POST" || string(r.method) == "PUT"
	if hosts != 1 || hasBody != (length >= 0) {
		return r, false
	}
	r.rest = max(length, 0) - len(piece[header+len("\r\n\r\n"):])
	return r, r.rest >= 0
}

// readLine reads the first line of a request.
func (r *simple) readLine(line []byte) bool {
	method, rest, _ := bytes.Cut(line, []byte(" "))
	target, version, _ := bytes.Cut(rest, []byte(" "))
	if string(version) != "HTTP/1.1" {
		return false
	}
	switch string(method) {
	case "GET", "HEAD", "POST", "PUT":
	default:
		return false
	}
	path, _, _ := bytes.Cut(target, []byte("?"))
	if len(path) == 0 || path[0] != '/' || bytes.HasPrefix(path, []byte("//")) || bytes.ContainsAny(path, "%;") {
		return false
	}
	for _, b := range target {
		if b <= ' ' || b > '~' || b == '#' {
			return false
		}
	}
	r.method, r.path = method, path
	return true
}

// field is a member of a header that says how a request is to be understood.
type field int

const (
	otherField field = iota
	hostField
	lengthField
	connectionField
	idField
	parentField
	// doubtfulField is one that changes what follows on the connection, or what the response has.
	doubtfulField
)

// fieldOf returns which member of a header a name, in lower or upper case, is that of.
func fieldOf(name []byte) field {
	for _, known := range knownFields[min(len(name), len(knownFields)-1)] {
		if bytes.EqualFold(name, []byte(known.name)) {
			return known.field
		}
	}
	return otherField
}

type knownField struct {
	name  string
	field field
}

// knownFields holds the names by their length. None has the last one.
var knownFields = func() (all [20][]knownField) {
	for name, is := range map[string]field{
		"host": hostField, "content-length": lengthField, "connection": connectionField, "x-request-id": idField, "traceparent": parentField,
		"transfer-encoding": doubtfulField, "te": doubtfulField, "trailer": doubtfulField, "upgrade": doubtfulField, "expect": doubtfulField,
		"origin": doubtfulField,
	} {
		all[len(name)] = append(all[len(name)], knownField{name, is})
	}
	return all
}()

// isName reports whether the name of a field consists of letters, digits and the marks that are usual.
func isName(name []byte) bool {
	for _, b := range name {
		switch {
		case '0' <= b && b <= '9', 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z', b == '-', b == '_':
		default:
			return false
		}
	}
	return len(name) > 0
}

// isText reports whether the value of a field consists of visible ASCII, spaces and tabs.
func isText(value []byte) bool {
	for _, b := range value {
		if (b < ' ' || b > '~') && b != '\t' {
			return false
		}
	}
	return true
}

func notOfHost(r rune) bool {
	switch {
	case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', r == '-', r == '.', r == ':', r == '[', r == ']':
		return false
	}
	return true
}

// lengthOf returns the length of a body, -1 unless it is written in at most eight digits.
func lengthOf(value []byte) int {
	if len(value) == 0 || len(value) > 8 {
		return -1
	}
	length := 0
	for _, b := range value {
		if b < '0' || b > '9' {
			return -1
		}
		length = 10*length + int(b-'0')
	}
	return length
}
