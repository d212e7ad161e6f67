package process

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"
)

// FuzzSimple holds that whoever reads HTTP sees the same request, and the same end of it, in all that is refused at
// the door. The requests that pass it are read by net/http anyway.
func FuzzSimple(f *testing.F) {
	for _, text := range []string{
		"GET /vehicle/7?x=1 HTTP/1.1\r\nHost: a:80\r\nX-Request-Id: r-7\r\n\r\n",
		"HEAD /vehicle HTTP/1.1\r\nHost: [::1]:80\r\nConnection: Keep-Alive\r\ntraceparent: 00-1\r\n\r\n",
		"POST /claim/7:settle HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
		"PUT /claim/7 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{",
		"POST /claim HTTP/1.1\r\nHost: a\r\ncontent-length:\t2 \r\n\r\n{}",
		"POST /claim HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
		"POST /claim HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"POST /claim HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}GET",
		"GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c: d\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\nContent-Length: 1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
		"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /%2f HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /\"[\\]?a#b HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, piece []byte) {
		simple, ok := readSimple(piece)
		if !ok {
			return
		}
		reader := bufio.NewReader(bytes.NewReader(append(bytes.Clone(piece), make([]byte, min(simple.rest, 1<<20))...)))
		request, err := http.ReadRequest(reader)
		if err != nil {
			t.Fatalf("net/http does not read %q: %v", piece, err)
		}
		body, _ := io.Copy(io.Discard, request.Body)
		left, _ := io.Copy(io.Discard, reader)
		if request.Method != string(simple.method) || request.URL.Path != string(simple.path) || request.URL.RawPath != "" && hasEncodedSlash(request.URL) ||
			request.Header.Get("X-Request-Id") != string(simple.id) || !request.ProtoAtLeast(1, 1) || request.Close || request.Host == "" ||
			len(request.TransferEncoding) > 0 || request.Header.Get("Upgrade")+request.Header.Get("Expect")+request.Header.Get("Origin") != "" {
			t.Errorf("%q is understood as %+v, and by net/http as %+v", piece, simple, request)
		}
		if whole := simple.rest <= 1<<20; whole && (left > 0 || body != max(request.ContentLength, 0)) {
			t.Errorf("%q ends elsewhere: %d bytes of %d, and %d behind it", piece, body, request.ContentLength, left)
		}
	})
}
