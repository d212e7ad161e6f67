package bsonjson

import (
	"bytes"
	"fmt"
	"strings"
)

// appendName appends the name of a member as BSON has it.
func appendName(out, name []byte) []byte {
	if len(name) == 0 {
		return append(out, '%')
	}
	if name[0] == '$' {
		out, name = append(out, "%24"...), name[1:]
	}
	for {
		i := bytes.IndexAny(name, "%.\x00")
		if i < 0 {
			return append(out, name...)
		}
		out = fmt.Appendf(append(out, name[:i]...), "%%%02X", name[i])
		name = name[i+1:]
	}
}

// originalName returns the name of a member from its name in BSON. A % that appendName did not write is left as it is.
func originalName(name string) string {
	switch {
	case name == "%":
		return ""
	case !strings.Contains(name, "%"): // nearly all
		return name
	}
	return escapes.Replace(name)
}

// escapes has the characters that appendName escapes, by what stands in their place.
var escapes = strings.NewReplacer("%25", "%", "%2E", ".", "%24", "$", "%00", "\x00")
