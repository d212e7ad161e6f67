// Package audit writes down who read or changed which record: a line of JSON for each request of a known caller,
// without its body. The lines are a stream of their own, apart from the log of the process.
//
// lumberjack rotates the file. slog would write the lines, and leave the queue, by which requests do not wait for the
// disk (until a mebibyte waits), and the count of what could not be written. The rest is the list of members.
package audit

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Entry is what a line says. A member that is empty is left out.
type Entry struct {
	Time time.Time
	// Request is the request id, the same in every process that the request passed through.
	Request string
	// Service is the service that has written the line, or the gateway.
	Service string
	// Subject and Client are from the caller's token.
	Subject, Client string
	// Organisation is the one that the caller acts for; empty if organisations do not share the exchange.
	Organisation string
	// Reason is why an operator has read; empty for everybody else.
	Reason string
	// From is the address at the other end of the connection. ForwardedFor is the header X-Forwarded-For: in a service
	// the gateway has set it; in the gateway the client has set it, and nothing checks it.
	From, ForwardedFor string
	// Route is the template of the path, as the router writes it (/claim/:id) or as the OpenAPI document does
	// (/claim/{id}). Path and Query are what was sent.
	Method, Route, Path, Query string
	// Record is the path of the record that the request has created.
	Record string
	Status int
	// Problem is the kind of the problem document with which the request was refused.
	Problem string
}

// longest bounds each text of a line that a caller chooses.
const longest = 1024

// append appends the entry as a line. Its first member distinguishes the stream from the log for a collector that
// gets both.
func (e *Entry) append(line []byte) []byte {
	line = append(line, `{"stream":"audit","time":"`...)
	line = e.Time.UTC().AppendFormat(line, "2006-01-02T15:04:05.000000Z07:00")
	line = append(line, '"')
	for _, member := range [...]struct{ name, value string }{
		{`,"request":`, e.Request}, {`,"service":`, e.Service}, {`,"subject":`, e.Subject}, {`,"client":`, e.Client},
		{`,"organisation":`, e.Organisation}, {`,"reason":`, e.Reason},
		{`,"from":`, e.From}, {`,"forwardedFor":`, e.ForwardedFor}, {`,"method":`, e.Method},
		{`,"path":`, e.Path}, {`,"query":`, e.Query}, {`,"record":`, e.Record}, {`,"problem":`, e.Problem},
	} {
		if member.value == "" {
			continue
		}
		line = append(line, member.name...)
		// Bytes that are no UTF-8 are replaced, which the error says.
		line, _ = jsontext.AppendQuote(line, member.value[:min(len(member.value), longest)])
	}
	line = append(line, `,"route":"`...)
	line = appendRoute(line, e.Route)
	line = append(line, `","status":`...)
	line = appendStatus(line, e.Status)
	return append(line, "}\n"...)
}

// appendRoute appends a template as the OpenAPI document writes it. The templates are the program's own, and have no
// characters that JSON escapes.
func appendRoute(line []byte, route string) []byte {
	inName := false
	for i := range len(route) {
		switch c := route[i]; {
		case c == ':' && i > 0 && route[i-1] == '/':
			inName = true
			line = append(line, '{')
		case c == '/' && inName:
			inName = false
			line = append(line, "}/"...)
		default:
			line = append(line, c)
		}
	}
	if inName {
		line = append(line, '}')
	}
	return line
}

// appendStatus appends a status of three digits.
func appendStatus(line []byte, status int) []byte {
	return append(line, byte('0'+status/100%10), byte('0'+status/10%10), byte('0'+status%10))
}
