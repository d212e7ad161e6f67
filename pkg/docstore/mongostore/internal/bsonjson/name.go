package bsonjson

import (
	"bytes"
	"fmt"
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
func originalName(name []byte) []byte {
	i := bytes.IndexByte(name, '%')
	if i < 0 {
		return name
	}
	if len(name) == 1 {
		return nil
	}
	original := bytes.Clone(name[:i])
	for ; i < len(name); i++ {
		c := name[i]
		if c == '%' && i+2 < len(name) {
			if escaped, ok := escapes[string(name[i+1:i+3])]; ok {
				c = escaped
				i += 2
			}
		}
		original = append(original, c)
	}
	return original
}

// escapes holds the characters that appendName escapes, by what follows the % in their place.
var escapes = map[string]byte{"25": '%', "2E": '.', "24": '$', "00": 0}
