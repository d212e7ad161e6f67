package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestResponsesSayHowLongTheyAre: a body that is larger than the buffer of net/http is not sent in chunks.
func TestResponsesSayHowLongTheyAre(t *testing.T) {
	w := start(t, nil)
	body := fmt.Sprintf(`{"depot":%q,"weight":1,"contents":"%s"}`, w.depot("Ghent"), strings.Repeat("c", 5000))
	paths := []string{w.do(201, "POST", "/parcel", body).Header().Get("Location"), "/parcel", "/parcel?contents=d"}
	for _, path := range paths {
		r := w.do(200, "GET", path, "")
		if said := r.Header().Get("Content-Length"); said != strconv.Itoa(r.Body.Len()) ||
			path != paths[2] && r.Body.Len() < 5000 {
			t.Errorf("%s: a body of %d bytes is said to have %q", path, r.Body.Len(), said)
		}
	}
}

// TestPagesAtOnceKeepApart reads a page while another one is being written to its caller, which must not change it.
func TestPagesAtOnceKeepApart(t *testing.T) {
	w := start(t, nil)
	depot := w.depot("Ghent")
	for _, contents := range []string{"slow", "fast"} {
		w.do(201, "POST", "/parcel", fmt.Sprintf(`{"depot":%q,"weight":1,"contents":%q}`, depot, contents))
	}
	for range 10 {
		slow := &slowRecorder{ResponseRecorder: httptest.NewRecorder(), meanwhile: func() {
			if fast, _ := w.contents("/parcel?contents=fast"); !slices.Equal(fast, []string{"fast"}) {
				t.Errorf("the page that is read meanwhile has %q", fast)
			}
		}}
		w.handler.ServeHTTP(slow, httptest.NewRequest(http.MethodGet, "/parcel?contents=slow", nil))
		if page := slow.Body.String(); strings.Count(page, `"contents":"slow"`) != 1 {
			t.Errorf("the page became %s", page)
		}
	}
}

// slowRecorder has something happen before it takes what is written.
type slowRecorder struct {
	*httptest.ResponseRecorder
	meanwhile func()
}

func (s *slowRecorder) Write(content []byte) (int, error) {
	s.meanwhile()
	return s.ResponseRecorder.Write(content)
}
