package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// content is text that does not change while the process runs. Its compressed form, or the plain form of what is
// embedded compressed, is made when a request first asks for it: a process that starts does not wait for it.
type content struct {
	contentType string
	// plain returns the text. gzipped returns it compressed; nil where the text is too short to be worth it.
	plain, gzipped  func() ([]byte, error)
	tag             string
	contentSecurity string
	// cacheControl is the header of that name.
	cacheControl string
}

// worthCompressing is the size in bytes from which a text is sent compressed.
const worthCompressing = 8 << 10

// newContent returns a text as content, compressed where that is worth it.
func newContent(contentType string, text []byte) *content {
	c := &content{
		contentType: contentType + "; charset=utf-8", plain: as(text), tag: tagOf(text), cacheControl: revalidate,
	}
	if len(text) >= worthCompressing {
		c.gzipped = sync.OnceValues(func() ([]byte, error) { return compress(text) })
	}
	return c
}

// File is a text of another package that is served as the pages are.
type File struct {
	// ContentType is the media type, without a charset.
	ContentType string
	Text        []byte
	// Security is the Content-Security-Policy; none if it is empty.
	Security string
	// Immutable lets a browser keep the text for good: its path changes with it.
	Immutable bool
}

// Handler returns the handler that serves the file, compressed if the client takes that.
func (f File) Handler() http.Handler {
	c := newContent(f.ContentType, f.Text)
	c.gzipped = sync.OnceValues(func() ([]byte, error) { return compress(f.Text) })
	c.contentSecurity = f.Security
	if f.Immutable {
		c.cacheControl = "public, max-age=31536000, immutable"
	}
	return c
}

// as returns a function that returns the text.
func as(text []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return text, nil }
}

// tagOf returns an entity tag for a text.
func tagOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func compress(text []byte) ([]byte, error) {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	_, err := w.Write(text)
	err = errors.Join(err, w.Close())
	return compressed.Bytes(), err
}

func decompress(compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	return text, errors.Join(err, r.Close())
}

// asset reads an embedded file and returns it with the name under which it is served. A file whose name ends in .gz is
// compressed already and served without that ending.
func asset(name, contentType string) (path string, c *content, err error) {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return "", nil, err
	}
	path, compressed := strings.CutSuffix(name, ".gz")
	c = newContent(contentType, text)
	if compressed {
		c.plain, c.gzipped = sync.OnceValues(func() ([]byte, error) { return decompress(text) }), as(text)
	}
	return path, c, nil
}

// rendered executes a template and returns the result as a page for a browser.
func rendered(name string, data any) (*content, error) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, data); err != nil {
		return nil, err
	}
	c := newContent("text/html", page.Bytes())
	c.contentSecurity = pageSecurity
	return c, nil
}

// whenAsked returns content that is made when a request first asks for it. There are pages about many things, in
// several forms, and most processes are never asked for one.
func whenAsked(make func() (*content, error)) http.Handler {
	once := sync.OnceValues(make)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := once()
		if err != nil {
			// The templates and what they show are part of the program, and the tests read every page. The router
			// makes a problem of it.
			panic(fmt.Errorf("pages: %s: %w", r.URL.Path, err))
		}
		c.ServeHTTP(w, r)
	})
}

// pageSecurity lets a page load what this process serves, and nothing else.
const (
	pageSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; " + noEscape
	noEscape     = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// viewerSecurity lets the viewer set styles on its elements, show the images of its stylesheet, call this process,
// and ask for a token at the token URL if there is one.
func viewerSecurity(tokenURL string) string {
	called := "'self'"
	if u, err := url.Parse(tokenURL); err == nil && hostName.MatchString(u.Host) {
		called += " " + u.Scheme + "://" + u.Host
	}
	return "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"connect-src " + called + "; " + noEscape
}

// revalidate lets a browser keep a page, but ask each time whether it has changed, because the value sets may be
// different after a restart.
const revalidate = "no-cache"

func (c *content) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", c.contentType)
	header.Add("Vary", "Accept-Encoding")
	header.Set("Cache-Control", c.cacheControl)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	if c.contentSecurity != "" {
		header.Set("Content-Security-Policy", c.contentSecurity)
	}
	form, tag := c.plain, c.tag
	if c.gzipped != nil && acceptsGzip(r.Header.Values("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
		form, tag = c.gzipped, c.tag+"-gzip"
	}
	text, err := form()
	if err != nil {
		// The text is part of the program, so that only a broken build gets here. The router makes a problem of it.
		panic(fmt.Errorf("pages: compressed text of %s: %w", r.URL.Path, err))
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(&refusing{ResponseWriter: w}, r, "", time.Time{}, bytes.NewReader(text))
}

// refusing makes problem documents of the refusals of http.ServeContent, which have another form.
type refusing struct {
	http.ResponseWriter
	refused bool
}

func (w *refusing) WriteHeader(status int) {
	var refusal *problem.Error
	switch status {
	case http.StatusPreconditionFailed:
		refusal = problem.New(problem.Changed, "The page has another ETag than If-Match names.")
	case http.StatusRequestedRangeNotSatisfiable:
		refusal = problem.New(problem.RangeOutside, "The page does not have the bytes that Range asks for.")
	default:
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	for _, ofPage := range []string{"Accept-Ranges", "Content-Encoding", "ETag"} {
		w.Header().Del(ofPage)
	}
	problem.Write(w.ResponseWriter, refusal)
}

func (w *refusing) Write(text []byte) (int, error) {
	if w.refused {
		return len(text), nil
	}
	return w.ResponseWriter.Write(text)
}

// acceptsGzip reports whether the values of Accept-Encoding accept gzip (RFC 9110 12.5.3): by its name or else by "*",
// with a weight above 0.
func acceptsGzip(values []string) bool {
	accepted := false
	for coding := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "gzip" && name != "x-gzip" && name != "*" {
			continue
		}
		positive := true
		if weight, is := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(parameters), " ", ""), "q="); is {
			q, err := strconv.ParseFloat(weight, 64)
			positive = err == nil && q > 0
		}
		if name != "*" {
			return positive
		}
		accepted = positive
	}
	return accepted
}
