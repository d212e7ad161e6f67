package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

const mediaType = "application/json"

// The values of headers that every response with a record has. Nobody changes them.
var (
	mediaTypes = []string{mediaType}
	noStore    = []string{"no-store"} // records are personal data, which no cache on the way keeps
	noSniff    = []string{"nosniff"}
)

// readBody returns the body of a request: JSON by its media type, within the limit that the server has put on it. An
// empty body needs no media type.
func readBody(c *gin.Context) ([]byte, error) {
	req := c.Request
	if len(req.Header["Content-Type"]) > 1 {
		return nil, problem.New(problem.BadHeader, "Content-Type must be sent once.").
			At("", "is sent with more than one Content-Type")
	}
	body, err := readAll(req)
	if err != nil {
		return nil, notWhole(err)
	}
	if len(body) > 0 && req.Header.Get("Content-Encoding") != "" {
		return nil, problem.New(problem.MediaType, "The body must be sent without a Content-Encoding.").
			WithHeader("Accept-Encoding", "identity")
	}
	if len(body) > 0 && !isJSON(req.Header.Get("Content-Type")) {
		return nil, problem.New(problem.MediaType, "The body must be sent as application/json.").
			WithHeader("Accept", mediaType)
	}
	return body, nil
}

// notWhole returns the problem of a body that could not be read to its end.
func notWhole(err error) *problem.Error {
	var tooLarge *http.MaxBytesError
	var refused *problem.Error
	switch {
	case errors.As(err, &tooLarge):
		return problem.New(problem.TooLarge,
			"The body is larger than "+strconv.FormatInt(tooLarge.Limit, 10)+" bytes.").Because(err)
	case errors.As(err, &refused):
		return refused
	}
	return problem.New(problem.Malformed, "The body ended before it was whole.").Because(err)
}

// piecewise is a body that Serve reads piece by piece. Its errors are problems.
type piecewise struct{ io.Reader }

func (p piecewise) Read(into []byte) (int, error) {
	n, err := p.Reader.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = notWhole(err)
	}
	return n, err
}

// firstRead is the greatest size of the buffer that a body is read into at first.
const firstRead = 4 << 10

// readAll reads the body of a request. The buffer grows with what has come, not with what the body declares.
func readAll(req *http.Request) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(min(max(0, req.ContentLength), firstRead)) + bytes.MinRead)
	_, err := body.ReadFrom(req.Body)
	return body.Bytes(), err
}

// isJSON reports whether the media type is application/json, with any parameter, or ends in +json.
func isJSON(contentType string) bool {
	if contentType == mediaType {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == mediaType || strings.HasSuffix(t, "+json"))
}

// decode reads a body as a record. A refusal names members as the record does; see names.asSent.
func (r *Records[T]) decode(body []byte) (T, error) {
	v := empty[T]()
	renamed, _, p := jsonobject.Rename(body, r.Aliases, r.Flatten)
	if p == nil {
		p = jsonobject.Decode(renamed, v)
	}
	if p != nil {
		return v, p
	}
	return v, nil
}

// respond writes the record of a document as the response, with further members that are not the record's.
func (r *documents) respond(c *gin.Context, status int, doc docstore.Document, extra map[string]any) error {
	body, tag, err := r.shown(doc)
	if err != nil {
		return err
	}
	if body, err = withMembers(body, extra); err != nil {
		return err
	}
	header := c.Writer.Header()
	header.Set("ETag", tag)
	if status == http.StatusCreated {
		header.Set("Location", "/"+r.resource+"/"+doc.ID.String())
	}
	send(c, status, body)
	return nil
}

// withMembers returns a record with further members after its own.
func withMembers(body []byte, extra map[string]any) ([]byte, error) {
	if len(extra) == 0 {
		return body, nil
	}
	members, err := json.Marshal(extra, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return append(append(body[:len(body)-1:len(body)-1], ','), members[1:]...), nil
}

// send sends a response. It says how long the body is, so that a long one is not sent in chunks.
func send(c *gin.Context, status int, body []byte) {
	header := c.Writer.Header()
	header["Content-Type"] = mediaTypes
	header["Cache-Control"], header["X-Content-Type-Options"] = noStore, noSniff
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.Status(status)
	if _, err := c.Writer.Write(body); err != nil {
		_ = c.Error(err)
	}
}

// extraOf returns the members of an action's response that are not the record's.
func (r *Records[T]) extraOf(a *Action[T], v T, warnings []Warning) map[string]any {
	if a.WithExtra {
		return r.extra(v, warnings)
	}
	return withWarnings(nil, warnings)
}

// extra returns the members of a response that are not the record's.
func (r *Records[T]) extra(v T, warnings []Warning) map[string]any {
	var members map[string]any
	if r.Extra != nil {
		members = r.Extra(v)
	}
	return withWarnings(members, warnings)
}

func withWarnings(members map[string]any, warnings []Warning) map[string]any {
	if len(warnings) > 0 {
		if members == nil {
			members = map[string]any{}
		}
		members["warnings"] = warnings
	}
	return members
}

// replay responds with the record that the same request made before, as it is now.
func (r *Records[T]) replay(c *gin.Context, doc docstore.Document, withExtra bool) error {
	request.MarkReplay(c.Writer.Header())
	if !withExtra {
		return r.respond(c, http.StatusOK, doc, nil)
	}
	record, err := r.Decode(doc)
	if err != nil {
		return err
	}
	return r.respond(c, http.StatusOK, doc, r.extra(record.Value, nil))
}

// tooLarge refuses a request that would make a record larger than a number of bytes.
func tooLarge(most int, cause error) *problem.Error {
	return problem.New(problem.RecordTooLarge, "With this request the record would be larger than "+strconv.Itoa(most)+
		" bytes. Nothing was written.").Because(cause)
}

// Respond responds to a request of another service with a value as JSON or, if err is not nil, as fail does.
func Respond(c *gin.Context, value any, err error) {
	if err == nil {
		err = writeJSON(c, value)
	}
	if err != nil {
		fail(c, err)
	}
}

// fail responds with the problem that err is. It is the one place where errors become statuses: what a store or a
// peer could not do in time is an outage (503), and any other error is 500.
func fail(c *gin.Context, err error) {
	var p *problem.Error
	if !errors.As(err, &p) {
		var altered *docstore.AlteredError
		switch {
		case errors.Is(err, docstore.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err,
			context.Canceled):
			p = problem.Outage(err)
		case errors.Is(err, docstore.ErrTooLarge):
			p = tooLarge(docstore.MaxSize, err)
		case errors.As(err, &altered):
			p = problem.New(problem.Altered, fmt.Sprintf("What is stored as version %d of the record is not what the "+
				"exchange wrote. It is neither shown nor changed.", altered.Version)).Because(err)
		default:
			p = problem.From(err)
		}
	}
	process.Refuse(c, p)
}
