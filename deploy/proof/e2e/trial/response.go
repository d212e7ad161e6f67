package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Response is the response to a request, with its body.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// location is the form of the Location header of a new record.
var location = regexp.MustCompile(
	`^/([A-Za-z]+|x/reconciliation/[a-z]+)/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|` +
		`^/x/bordereau/[^/]+/(premium|claims)/[^/]+/versions/[0-9]+$`)

// innards are words of the language, its libraries and the database, which no caller may see.
var innards = regexp.MustCompile(
	`goroutine |\.go:\d|panic|runtime error|json: |jsontext|(?i)sqlite|SQL|docstore|context deadline|dial tcp|\bEOF\b|0x[0-9a-f]{6}`)

// conforms returns an error if the response breaks a rule of all responses.
func (r Response) conforms(method string) error {
	id := r.Header.Get("X-Request-Id")
	switch {
	case id == "":
		return errors.New("the response has no X-Request-Id")
	case r.Status == http.StatusNotModified, r.Status == http.StatusNoContent:
		if len(r.Body) > 0 {
			return fmt.Errorf("%d has a body", r.Status)
		}
		return nil
	case r.Status == http.StatusCreated && !location.MatchString(r.Header.Get("Location")):
		return fmt.Errorf("201 has the Location %q", r.Header.Get("Location"))
	}
	if r.Status == http.StatusOK && strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
		return nil // a file, in the media type that the document says
	}
	want := "application/json"
	if r.Status >= 400 {
		want = "application/problem+json"
	}
	if is := r.Header.Get("Content-Type"); is != want {
		return fmt.Errorf("the Content-Type is %q, not %s", is, want)
	}
	if method == http.MethodHead {
		return nil
	}
	if r.Status < 400 {
		if !json.Valid(r.Body) {
			return errors.New("the body is no JSON")
		}
		return nil
	}
	return r.isProblem(id)
}

func (r Response) isProblem(id string) error {
	p, err := r.record()
	if err != nil {
		return err
	}
	switch {
	case !strings.HasPrefix(p.Text("type"), "/problems/"):
		return fmt.Errorf("type is %q", p.Text("type"))
	case p.Text("title") == "":
		return errors.New("there is no title")
	case p.Text("status") != fmt.Sprint(r.Status):
		return fmt.Errorf("status is %q", p.Text("status"))
	case p.Text("instance") != id:
		return fmt.Errorf("instance is %q, X-Request-Id %q", p.Text("instance"), id)
	case r.Status == http.StatusUnauthorized && r.Header.Get("WWW-Authenticate") == "":
		return errors.New("401 has no WWW-Authenticate")
	case r.Status == http.StatusMethodNotAllowed && r.Header.Get("Allow") == "":
		return errors.New("405 has no Allow")
	case r.Status == http.StatusServiceUnavailable && r.Header.Get("Retry-After") == "":
		return errors.New("503 has no Retry-After")
	}
	if word := innards.Find(r.Body); word != nil {
		return fmt.Errorf("the problem shows innards: %q", word)
	}
	return nil
}

// Want ends the test unless the response has the status.
func (r Response) Want(t testing.TB, status int) Response {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status is %d, not %d: %s", r.Status, status, r.Body)
	}
	return r
}

// WantProblem ends the test if the response is not the problem with the status and the title, and returns the document.
func (r Response) WantProblem(t testing.TB, status int, title string) Record {
	t.Helper()
	p := r.Want(t, status).Record(t)
	if p.Text("title") != title {
		t.Fatalf("title is %q, not %q: %s", p.Text("title"), title, r.Body)
	}
	return p
}

// Record returns the body as one record.
func (r Response) Record(t testing.TB) Record {
	t.Helper()
	record, err := r.record()
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func (r Response) record() (Record, error) {
	var record Record
	err := r.decode(&record)
	return record, err
}

// Records returns the body as a list.
func (r Response) Records(t testing.TB) []Record {
	t.Helper()
	var all []Record
	if err := r.decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func (r Response) decode(v any) error {
	dec := json.NewDecoder(bytes.NewReader(r.Body))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w in %q", err, r.Body)
	}
	return nil
}
