package hostile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// largestBody is the size up to which the exchange reads a body, unless it is set otherwise.
const largestBody = 1 << 20

// longestString is the length up to which the exchange takes a string, in bytes.
const longestString = 64 << 10

// large is the size of a large record, in bytes.
const large = 900 << 10

// padded returns an object of that size with members that the interface does not name, besides those given.
func padded(members ...string) []byte { return paddedAs("pad", large, members...) }

// paddedAs does so with names that begin with a text, up to a size.
func paddedAs(name string, size int, members ...string) []byte {
	for i := 0; size > 0; i++ {
		length := min(size, longestString-1)
		members = append(members, fmt.Sprintf(`"%s%d":"%s"`, name, i, strings.Repeat("x", length)))
		size -= length
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// filled returns a body as large as the exchange reads: what begins it, as many parts as fit, and what ends it.
func filled(begin string, part func(i int) string, end string) []byte {
	var b bytes.Buffer
	b.WriteString(begin)
	for i := 0; ; i++ {
		next := part(i)
		if i > 0 {
			next = "," + next
		}
		if b.Len()+len(next)+len(end) > largestBody {
			break
		}
		b.WriteString(next)
	}
	b.WriteString(end)
	return b.Bytes()
}

// always returns a function that returns a text whatever the number.
func always(text string) func(int) string { return func(int) string { return text } }

// numbered returns a function that puts the number into a format.
func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// insuringAll returns the body of a policy that insures all properties.
func insuringAll(p *prey) []byte {
	return fmt.Appendf(nil,
		`{"policyholderId":"%s","inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2090-01-01T00:00:00Z",`+
			`"propertyIds":["%s"]}`,
		p.Holder, strings.Join(p.Properties, `","`))
}

// longestList is the most elements of a list that the exchange takes.
const longestList = 10_000

// lists returns members that are lists as long as the exchange takes.
func lists(element string) func(int) string {
	list := "[" + strings.Repeat(element+",", longestList-1) + element + "]"
	return func(i int) string { return `"l` + strconv.Itoa(i) + `":` + list }
}

// nested returns a value that is nested as deeply as the exchange takes below a record.
func nested(open, shut string) string {
	const deepest = 63
	return strings.Repeat(open, deepest) + "1" + strings.Repeat(shut, deepest)
}

// membersOf returns an object of a number of members, as large as the exchange reads.
func membersOf(count int) []byte {
	length := (largestBody - 64<<10) / count
	var members []string
	for i := range count {
		name := fmt.Sprintf("m%d", i)
		members = append(members, fmt.Sprintf(`"%s":"%s"`, name, strings.Repeat("x", length-len(name)-len(`"":"",`))))
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// repeated returns the first parts.
func repeated(part func(int) string, count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = part(i)
	}
	return all
}
