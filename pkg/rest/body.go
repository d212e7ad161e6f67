package rest

import (
	"bytes"
	"errors"
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
)

const mediaType = "application/json"

// readBody answers the body of a request: JSON by its media type, within the limit that the server has put on it. An
// empty body needs no media type.
func readBody(c *gin.Context) ([]byte, error) {
	req := c.Request
	var buffer bytes.Buffer
	if req.ContentLength > 0 {
		// The server refuses a declared length above its limit before it comes here.
		buffer.Grow(int(min(req.ContentLength, 1<<20)) + bytes.MinRead)
	}
	if _, err := io.Copy(&buffer, req.Body); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, problem.New(problem.TooLarge, "The body is larger than "+strconv.FormatInt(tooLarge.Limit, 10)+" bytes.").Because(err)
		}
		return nil, problem.New(problem.Malformed, "The body ended before it was whole.").Because(err)
	}
	if buffer.Len() > 0 && !isJSON(req.Header.Get("Content-Type")) {
		return nil, problem.New(problem.MediaType, "The body must be sent as application/json.").WithHeader("Accept", mediaType)
	}
	return buffer.Bytes(), nil
}

// isJSON takes application/json with any parameter, and every type that ends in +json.
func isJSON(contentType string) bool {
	if contentType == mediaType {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == mediaType || strings.HasSuffix(t, "+json"))
}

// decode reads a body as a record.
func (r *Records[T]) decode(body []byte) (*T, error) {
	v := new(T)
	renamed, sent, p := jsonobject.Rename(body, r.Aliases, r.Hoist)
	if p == nil {
		p = jsonobject.Decode(renamed, v)
	}
	if p == nil {
		return v, nil
	}
	// Violations point to what was sent.
	for i, violation := range p.Violations {
		first, rest, _ := strings.Cut(strings.TrimPrefix(violation.Pointer, "/"), "/")
		if alias, was := sent[first]; was {
			p.Violations[i].Pointer = strings.TrimSuffix("/"+alias+"/"+rest, "/")
		}
	}
	return nil, p
}

// answer writes a document as the answer, with the members that stand beside the record.
func (r *Records[T]) answer(c *gin.Context, status int, doc docstore.Document, beside map[string]any) error {
	body, tag, err := r.shown(doc)
	if err != nil {
		return err
	}
	if len(beside) > 0 {
		members, err := json.Marshal(beside, json.Deterministic(true))
		if err != nil {
			return err
		}
		body = append(append(body[:len(body)-1:len(body)-1], ','), members[1:]...)
	}
	header := c.Writer.Header()
	header.Set("ETag", tag)
	if status == http.StatusCreated {
		header.Set("Location", "/"+r.Name+"/"+doc.ID.String())
	}
	c.Data(status, mediaType, body)
	return nil
}

// beside answers the members that stand beside the record in an answer.
func (r *Records[T]) beside(v *T, warnings []Warning) map[string]any {
	var members map[string]any
	if r.Answer != nil {
		members = r.Answer(v)
	}
	if len(warnings) > 0 {
		if members == nil {
			members = map[string]any{}
		}
		members["warnings"] = warnings
	}
	return members
}

// replay answers with the record that the same request made before, as it is now.
func (r *Records[T]) replay(c *gin.Context, doc docstore.Document, answers bool) error {
	c.Writer.Header().Set("Idempotency-Replayed", "true")
	if !answers {
		return r.answer(c, http.StatusOK, doc, nil)
	}
	record, err := r.Decode(doc)
	if err != nil {
		return err
	}
	return r.answer(c, http.StatusOK, doc, r.beside(&record.Value, nil))
}
