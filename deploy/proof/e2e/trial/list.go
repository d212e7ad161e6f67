package trial

import (
	"iter"
	"net/http"
	"regexp"
	"testing"
)

var next = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

// List yields the records of a list, page by page. The headers are those of each request, as Client.Send takes them.
func List(t testing.TB, c *Client, path string, headers ...string) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		t.Helper()
		for path := path; path != ""; {
			page := c.Get(t, path, headers...).Want(t, http.StatusOK)
			for _, r := range page.Records(t) {
				if !yield(r) {
					return
				}
			}
			path = ""
			if link := page.Header.Get("Link"); link != "" {
				match := next.FindStringSubmatch(link)
				if match == nil {
					t.Fatalf("Link is %q", link)
				}
				path = match[1]
			}
		}
	}
}
