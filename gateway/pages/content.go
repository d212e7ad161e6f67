package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"time"
)

// content is text that does not change while the process runs, plain and, unless it is short, compressed.
type content struct {
	contentType     string
	plain, gzipped  []byte
	tag             string
	contentSecurity string
}

// worthCompressing is the size in bytes from which a text is sent compressed.
const worthCompressing = 8 << 10

// newContent compresses a text where that is worth it.
func newContent(contentType string, plain []byte) (*content, error) {
	if len(plain) < worthCompressing {
		return finished(contentType, plain, nil), nil
	}
	var gzipped bytes.Buffer
	w := gzip.NewWriter(&gzipped)
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return finished(contentType, plain, gzipped.Bytes()), nil
}

func finished(contentType string, plain, gzipped []byte) *content {
	sum := sha256.Sum256(plain)
	return &content{contentType: contentType + "; charset=utf-8", plain: plain, gzipped: gzipped, tag: hex.EncodeToString(sum[:8])}
}

// asset reads an embedded file and answers it under the name it is asked for by. One that ends in .gz is compressed
// already.
func asset(name, contentType string) (path string, c *content, err error) {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return "", nil, err
	}
	path, compressed := strings.CutSuffix(name, ".gz")
	if !compressed {
		c, err = newContent(contentType, text)
		return path, c, err
	}
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return "", nil, err
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return "", nil, err
	}
	return path, finished(contentType, plain, text), r.Close()
}

// rendered answers a template with its data as content that a browser may show.
func rendered(name string, data any) (*content, error) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, data); err != nil {
		return nil, err
	}
	c, err := newContent("text/html", page.Bytes())
	if err == nil {
		c.contentSecurity = contentSecurity
	}
	return c, err
}

// contentSecurity lets a page load what this process serves, and nothing else. The viewer sets styles of its own.
const contentSecurity = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (c *content) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", c.contentType)
	header.Add("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "no-cache") // ask again: the value sets may be others after a restart
	header.Set("X-Content-Type-Options", "nosniff")
	if c.contentSecurity != "" {
		header.Set("Content-Security-Policy", c.contentSecurity)
	}
	text, tag := c.plain, c.tag
	if c.gzipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		text, tag = c.gzipped, c.tag+"-gzip"
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
