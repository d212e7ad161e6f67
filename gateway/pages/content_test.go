package pages_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
)

// TestGzipIsForThoseWhoAcceptIt compares what each client reads with the text itself.
func TestGzipIsForThoseWhoAcceptIt(t *testing.T) {
	for _, path := range []string{"/docs/register", "/problems"} {
		plain := get(t, path).Body.String()
		for accept, zipped := range map[string]bool{
			"": false, "identity": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "*;q=0": false,
			"gzip;q=0, *": false,
			"gzipped":     false, "gzip;q=nonsense": false,
			"gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "*": true, "x-gzip": true, "gzip ; q=1": true,
			"*;q=0, gzip": true,
		} {
			response := get(t, path, "Accept-Encoding", accept)
			if is := response.Header().Get("Content-Encoding"); (is == "gzip") != zipped || (is != "" && is != "gzip") {
				t.Errorf("%s, Accept-Encoding %q: Content-Encoding %q", path, accept, is)
				continue
			}
			if !slices.Contains(response.Header().Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s does not vary", path)
			}
			read := response.Body.String()
			if zipped {
				if len(read) > len(plain)/2 {
					t.Errorf("%s: %d bytes are compressed to %d", path, len(plain), len(read))
				}
				r, err := gzip.NewReader(strings.NewReader(read))
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(r)
				if err != nil {
					t.Fatal(err)
				}
				read = string(text)
			}
			if read != plain {
				t.Errorf("%s, Accept-Encoding %q: another text", path, accept)
			}
		}
	}
}

// TestPagesAreRevalidated asks again for what is known: nothing is sent twice, in either encoding.
func TestPagesAreRevalidated(t *testing.T) {
	for _, path := range []string{
		"/docs", "/docs/start", "/docs/register", "/docs/pages.css", "/docs/viewer.js", "/docs/swagger-ui-bundle.js",
		"/openapi.json", "/problems",
		"/problems/not-found",
	} {
		tags := map[string]bool{}
		for _, encoding := range []string{"identity", "gzip"} {
			first := get(t, path, "Accept-Encoding", encoding)
			tag := first.Header().Get("ETag")
			if first.Code != http.StatusOK || tag == "" || first.Header().Get("Cache-Control") != "no-cache" ||
				first.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %d %v", path, first.Code, first.Header())
			}
			if tags[tag] && first.Header().Get("Content-Encoding") == "gzip" {
				t.Errorf("%s: one tag for two encodings", path)
			}
			tags[tag] = true
			again := get(t, path, "Accept-Encoding", encoding, "If-None-Match", tag)
			if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
				t.Errorf("%s: a known tag gets %d, %d bytes, tag %q", path, again.Code, again.Body.Len(),
					again.Header().Get("ETag"))
			}
			if changed := get(t, path, "Accept-Encoding", encoding, "If-None-Match",
				`"another"`); changed.Code != http.StatusOK {
				t.Errorf("%s: another tag gets %d", path, changed.Code)
			}
			head := serve(t, http.MethodHead, path, "Accept-Encoding", encoding)
			if head.Code != http.StatusOK || head.Body.Len() > 0 || head.Header().Get("ETag") != tag ||
				head.Header().Get("Content-Type") != first.Header().Get("Content-Type") {
				t.Errorf("HEAD %s: %d, %d bytes, %v", path, head.Code, head.Body.Len(), head.Header())
			}
		}
	}
}

// TestRefusedPageIsAProblem asks for what a page does not have, in either encoding.
func TestRefusedPageIsAProblem(t *testing.T) {
	for _, path := range []string{"/openapi.json", "/problems/not-found"} {
		for _, encoding := range []string{"identity", "gzip"} {
			for kind, headers := range map[problem.Kind][]string{
				problem.Changed:      {"If-Match", `"another"`},
				problem.RangeOutside: {"Range", "bytes=100000000-"},
			} {
				response := get(t, path, append(headers, "Accept-Encoding", encoding)...)
				var document struct{ Type, Detail string }
				if err := json.Unmarshal(response.Body.Bytes(), &document); err != nil {
					t.Fatalf("%s: %v: %s", path, err, response.Body)
				}
				header := response.Header()
				if response.Code != kind.Status() || document.Type != problem.URI(kind) || document.Detail == "" ||
					header.Get("Content-Type") != problem.ContentType || header.Get("Content-Encoding") != "" ||
					header.Get("ETag") != "" {
					t.Errorf("%s: %d %v %s", path, response.Code, header, response.Body)
				}
				if length := header.Get("Content-Range"); kind == problem.RangeOutside &&
					!strings.HasPrefix(length, "bytes */") {
					t.Errorf("%s: Content-Range %q does not say how long the page is", path, length)
				}
			}
			if part := get(t, path, "Range", "bytes=0-9", "Accept-Encoding",
				encoding); part.Code != http.StatusPartialContent || part.Body.Len() != 10 {
				t.Errorf("%s: a part of the page gets %d with %d bytes", path, part.Code, part.Body.Len())
			}
		}
	}
}
