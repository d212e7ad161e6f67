package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// maxSkip is the greatest number of records at which a run looks for the end of a list.
const maxSkip = 1_000_000

// list returns the first page of a list.
func (p *probe) list(path string) []record {
	all, err := p.get(path).records()
	p.must(err)
	return all
}

// length returns the number of records of a list. It looks for the end: it doubles the skip, and then halves the
// remaining range. A list that is longer than maxSkip ends the rule.
func (p *probe) length(path string) int {
	has := func(n int) bool { return len(p.list(withQuery(path, fmt.Sprintf("limit=1&skip=%d", n-1)))) > 0 }
	least, beyond := 0, 1
	for has(beyond) {
		if least, beyond = beyond, 2*beyond; beyond > maxSkip {
			p.skip(fmt.Sprintf("GET %s has more than %d records", path, least))
		}
	}
	for beyond-least > 1 {
		if middle := (least + beyond) / 2; has(middle) {
			least = middle
		} else {
			beyond = middle
		}
	}
	return least
}

func withQuery(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

// since returns the records of a list after its first n. It follows the links from page to page.
func (p *probe) since(path string, n int) []record {
	return p.along(withQuery(path, fmt.Sprintf("limit=200&skip=%d", n)))
}

// along returns the records of a list. It follows the links from page to page.
func (p *probe) along(path string) []record {
	var all []record
	for path != "" {
		a := p.get(path)
		page, err := a.records()
		p.must(err)
		all = append(all, page...)
		next := p.next(a)
		if next == path {
			p.fail("the link of GET %s goes to itself", path)
		}
		path = next
	}
	return all
}

// linkNext is the RFC 8288 link to the next page.
var linkNext = regexp.MustCompile(`<([^>]*)>\s*;[^,]*\brel="?next"?`)

// next returns the path and query of the next page, or "" if the response has no link to one.
func (p *probe) next(a response) string {
	match := linkNext.FindStringSubmatch(strings.Join(a.header.Values("Link"), ", "))
	if match == nil {
		return ""
	}
	base, err := url.Parse(p.Base)
	p.must(err)
	next, err := base.Parse(match[1])
	if err != nil {
		p.fail("the link %q is no URL: %v", match[1], err)
	}
	return strings.TrimPrefix(next.RequestURI(), base.Path)
}

// refusedQuery fails the rule unless the response to each path is 400.
func (p *probe) refusedQuery(paths ...string) {
	for _, path := range paths {
		p.refused(http.StatusBadRequest, "", p.get(path))
	}
}
