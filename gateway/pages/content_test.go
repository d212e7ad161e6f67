package pages_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestGzipIsForThoseWhoAcceptIt compares what each client reads with the text itself.
func TestGzipIsForThoseWhoAcceptIt(t *testing.T) {
	for _, path := range []string{"/docs/swagger-ui-bundle.js", "/openapi.json"} {
		plain := get(t, path).Body.String()
		for accept, zipped := range map[string]bool{
			"": false, "identity": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "*;q=0": false, "gzip;q=0, *": false,
			"gzipped": false, "gzip;q=nonsense": false,
			"gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "*": true, "x-gzip": true, "gzip ; q=1": true, "*;q=0, gzip": true,
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
		"/docs", "/docs/start", "/docs/register", "/docs/pages.css", "/docs/viewer.js", "/docs/swagger-ui-bundle.js", "/openapi.json", "/problems",
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
				t.Errorf("%s: a known tag gets %d, %d bytes, tag %q", path, again.Code, again.Body.Len(), again.Header().Get("ETag"))
			}
			if changed := get(t, path, "Accept-Encoding", encoding, "If-None-Match", `"another"`); changed.Code != http.StatusOK {
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
