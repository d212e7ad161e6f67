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

// Answer is the response to a request, with its body.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// location is where a new record is found.
var location = regexp.MustCompile(`^/[A-Za-z]+/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// innards are words of the language, its libraries and the database, which no caller may see.
var innards = regexp.MustCompile(`goroutine |\.go:\d|panic|runtime error|json: |jsontext|(?i)sqlite|SQL|docstore|context deadline|dial tcp|\bEOF\b|0x[0-9a-f]{6}`)

// conforms returns an error if the response breaks a rule of all responses.
func (a Answer) conforms(method string) error {
	id := a.Header.Get("X-Request-Id")
	switch {
	case id == "":
		return errors.New("the answer has no X-Request-Id")
	case a.Status == http.StatusNotModified, a.Status == http.StatusNoContent:
		if len(a.Body) > 0 {
			return fmt.Errorf("%d has a body", a.Status)
		}
		return nil
	case a.Status == http.StatusCreated && !location.MatchString(a.Header.Get("Location")):
		return fmt.Errorf("201 has the Location %q", a.Header.Get("Location"))
	}
	want := "application/json"
	if a.Status >= 400 {
		want = "application/problem+json"
	}
	if is := a.Header.Get("Content-Type"); is != want {
		return fmt.Errorf("the Content-Type is %q, not %s", is, want)
	}
	if method == http.MethodHead {
		return nil
	}
	if a.Status < 400 {
		if !json.Valid(a.Body) {
			return errors.New("the body is no JSON")
		}
		return nil
	}
	return a.isProblem(id)
}

func (a Answer) isProblem(id string) error {
	p, err := a.record()
	if err != nil {
		return err
	}
	switch {
	case !strings.HasPrefix(p.Text("type"), "/problems/"):
		return fmt.Errorf("type is %q", p.Text("type"))
	case p.Text("title") == "":
		return errors.New("there is no title")
	case p.Text("status") != fmt.Sprint(a.Status):
		return fmt.Errorf("status is %q", p.Text("status"))
	case p.Text("instance") != id:
		return fmt.Errorf("instance is %q, X-Request-Id %q", p.Text("instance"), id)
	case a.Status == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") == "":
		return errors.New("401 has no WWW-Authenticate")
	case a.Status == http.StatusMethodNotAllowed && a.Header.Get("Allow") == "":
		return errors.New("405 has no Allow")
	case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") == "":
		return errors.New("503 has no Retry-After")
	}
	if word := innards.Find(a.Body); word != nil {
		return fmt.Errorf("the problem shows innards: %q", word)
	}
	return nil
}

// Want ends the test if the status is another.
func (a Answer) Want(t testing.TB, status int) Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status is %d, not %d: %s", a.Status, status, a.Body)
	}
	return a
}

// WantProblem ends the test if the response is not the problem with the status and the title, and returns the document.
func (a Answer) WantProblem(t testing.TB, status int, title string) Record {
	t.Helper()
	p := a.Want(t, status).Record(t)
	if p.Text("title") != title {
		t.Fatalf("title is %q, not %q: %s", p.Text("title"), title, a.Body)
	}
	return p
}

// Record returns the body as one record.
func (a Answer) Record(t testing.TB) Record {
	t.Helper()
	r, err := a.record()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (a Answer) record() (Record, error) {
	var r Record
	return r, a.decode(&r)
}

// Records returns the body as a list.
func (a Answer) Records(t testing.TB) []Record {
	t.Helper()
	var all []Record
	if err := a.decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func (a Answer) decode(v any) error {
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w in %q", err, a.Body)
	}
	return nil
}
