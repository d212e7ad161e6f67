package tracing

import (
	"encoding/hex"
	"math/rand/v2"
)

// identity is what a traceparent says (W3C trace context): which trace, which span of it, and whether it is recorded.
type identity struct {
	trace   [16]byte
	span    [8]byte
	sampled bool
}

func (i identity) valid() bool { return i.trace != [16]byte{} && i.span != [8]byte{} }

// child returns the identity of a new span below this one, in a new trace if this one is not valid.
func (i identity) child() identity {
	for i.trace == [16]byte{} {
		fill(i.trace[:])
	}
	for i.span = [8]byte{}; i.span == [8]byte{}; {
		fill(i.span[:])
	}
	return i
}

func fill(id []byte) {
	for at := 0; at < len(id); at += 8 {
		random := rand.Uint64()
		for n := range 8 {
			id[at+n] = byte(random >> (8 * n))
		}
	}
}

// The places of the parts of a traceparent: version, trace id, parent id, flags.
const (
	traceBegin, traceEnd = 3, 35
	spanBegin, spanEnd   = 36, 52
	flagsBegin, flagsEnd = 53, 55
)

// parse reads a traceparent. Of the flags it keeps only whether the trace is recorded. A malformed one has no valid identity.
func parse(parent string) identity {
	var i identity
	if len(parent) < flagsEnd {
		return identity{}
	}
	var flags [1]byte
	for _, part := range []struct {
		to   []byte
		from string
	}{{i.trace[:], parent[traceBegin:traceEnd]}, {i.span[:], parent[spanBegin:spanEnd]}, {flags[:], parent[flagsBegin:flagsEnd]}} {
		if _, err := hex.Decode(part.to, []byte(part.from)); err != nil {
			return identity{}
		}
	}
	i.sampled = flags[0]&1 == 1
	return i
}

// String writes the traceparent.
func (i identity) String() string {
	flags := "00"
	if i.sampled {
		flags = "01"
	}
	return "00-" + hex.EncodeToString(i.trace[:]) + "-" + hex.EncodeToString(i.span[:]) + "-" + flags
}
