package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// callerHeader names the caller of a request in the tests of turns.
const callerHeader = "X-Caller"

// turned has large requests wait for one turn. The context of each request is what change returns, if it is not nil.
func (w *world) turned(change func(context.Context) context.Context) *load.Turns {
	turns := load.NewTurns(1, time.Hour)
	w.behind(load.NewBudget(1<<40, turns), func(r *http.Request) string { return r.Header.Get(callerHeader) }, change)
	return turns
}

// eventually waits until something holds, as long as the test may take.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-t.Context().Done():
			t.Fatal(what)
		case <-time.After(time.Millisecond):
		}
	}
}

// largeBody is the body of a parcel that is a large request.
func (w *world) largeBody() string {
	w.t.Helper()
	return w.body(`"more":["` + strings.Repeat("x", 40<<10) + `","` + strings.Repeat("y", 40<<10) + `"]`)
}

// working is a large request that is being worked on until it is let go.
type working struct {
	let   func()
	reply chan reply
}

// work begins a large request and waits until it is in the store, where it stays.
func (w *world) work(body string) working {
	w.t.Helper()
	in, out := make(chan struct{}), make(chan struct{})
	var second atomic.Bool
	w.store.insert = func(docstore.Document) (error, bool) {
		if !second.Swap(true) {
			close(in)
			<-out
		}
		return nil, false
	}
	begun := working{let: sync.OnceFunc(func() { close(out) }), reply: make(chan reply, 1)}
	w.t.Cleanup(begun.let)
	go func() { begun.reply <- w.send("POST", "/parcel", body) }()
	<-in
	return begun
}

func TestLargeRequestsWaitForEachOther(t *testing.T) {
	w := start(t, nil)
	small, large := w.body(""), w.largeBody()
	stored, smallOne := "/parcel/"+w.do(201, "POST", "/parcel", large).text("id"), w.parcel("")
	turns := w.turned(nil)
	first := w.work(large)
	if turns.Taken() != 1 {
		t.Fatalf("%d turns are taken by a large request", turns.Taken())
	}
	// A small change of a large record is large, too, and so is reading it.
	waiting := make(chan int, 4)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/parcel", large}, {"PUT", stored, small}, {"POST", stored + ":amend", `{"weight":1}`},
		{"GET", stored, ""},
	} {
		go func() { waiting <- w.send(c.method, c.path, c.body).Code }()
	}
	eventually(t, "they do not wait", func() bool { return turns.Waiting() == cap(waiting) })
	w.do(201, "POST", "/parcel", small)
	w.do(200, "GET", smallOne, "")
	if turns.Waiting() != cap(waiting) || turns.Taken() != 1 {
		t.Errorf("%d wait and %d are worked on after small requests", turns.Waiting(), turns.Taken())
	}
	first.let()
	if r := <-first.reply; r.Code != http.StatusCreated {
		t.Errorf("the first: status %d: %s", r.Code, r.Body)
	}
	for range cap(waiting) {
		if code := <-waiting; code != http.StatusCreated && code != http.StatusOK {
			t.Errorf("one that has waited: status %d", code)
		}
	}
	if turns.Waiting() != 0 || turns.Taken() != 0 {
		t.Errorf("%d wait and %d are worked on at the end", turns.Waiting(), turns.Taken())
	}
}

// TestChangesThatWaitForEachOtherAreMadeOnce changes one large record many times at the same time: none of the
// changes begins on what another one is about to replace.
func TestChangesThatWaitForEachOtherAreMadeOnce(t *testing.T) {
	for store, unaware := range map[string]bool{"a store that waits": false, "a store that does not": true} {
		t.Run(store, func(t *testing.T) { changeAtOnce(t, unaware) })
	}
}

func changeAtOnce(t *testing.T, unaware bool) {
	w := start(t, nil)
	w.store.unaware = unaware
	large := w.largeBody()
	stored := "/parcel/" + w.do(201, "POST", "/parcel", large).text("id")
	turns := w.turned(nil)
	first := w.work(large)
	var tries atomic.Int64
	w.store.replace = func(docstore.Document) (error, bool) {
		tries.Add(1)
		return nil, false
	}
	const changes = 8
	codes := make(chan int, changes)
	for weight := range changes {
		go func() { codes <- w.send("POST", stored+":amend", fmt.Sprintf(`{"weight":%d}`, 1+weight)).Code }()
	}
	eventually(t, "they do not wait", func() bool { return turns.Waiting() == changes })
	first.let()
	for range changes {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("status %d", code)
		}
	}
	if tries.Load() != changes {
		t.Errorf("%d changes were written in %d tries", changes, tries.Load())
	}
}

func TestTooManyThatWaitAreRefused(t *testing.T) {
	w := start(t, nil)
	large := w.largeBody()
	turns := w.turned(nil)
	first := w.work(large)
	const share = 32
	codes := make(chan int, 2*share)
	for n, caller := range []string{"bo", "cy"} {
		for range share {
			go func() { codes <- w.send("POST", "/parcel", large, callerHeader, caller).Code }()
		}
		eventually(t, "they do not wait", func() bool { return turns.Waiting() == (n+1)*share })
		if n == 0 {
			w.wants(w.do(429, "POST", "/parcel", large, callerHeader, caller), problem.ShareUsedUp)
		}
	}
	r := w.do(503, "POST", "/parcel", large, callerHeader, "di")
	if w.wants(r, problem.Overloaded); r.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if turns.Refused() != 2 {
		t.Errorf("%d refusals are counted", turns.Refused())
	}
	first.let()
	for range cap(codes) {
		if code := <-codes; code != http.StatusCreated {
			t.Errorf("one that has waited: status %d", code)
		}
	}
	if turns.Waiting() != 0 || turns.Taken() != 0 {
		t.Errorf("%d wait and %d are worked on at the end", turns.Waiting(), turns.Taken())
	}
}

func TestATurnIsGivenBack(t *testing.T) {
	for name, end := range map[string]func(w *world, large string){
		"after a refusal": func(w *world, large string) {
			w.do(400, "POST", "/parcel", strings.Replace(large, `"weight"`, `"depot"`, 1))
		},
		"after an outage": func(w *world, large string) {
			w.store.insert = once(errDown, false)
			w.do(503, "POST", "/parcel", large)
		},
		"after a panic": func(w *world, large string) {
			w.store.insert = func(docstore.Document) (error, bool) { panic(errOdd) }
			w.send("POST", "/parcel", large)
			w.store.insert = nil
		},
		"before a response that is not read": func(w *world, large string) {
			written, read := make(chan struct{}), make(chan struct{})
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				req := httptest.NewRequest(http.MethodPost, "/parcel", strings.NewReader(large))
				req.Header.Set("Content-Type", "application/json")
				w.handler.ServeHTTP(&unreadResponse{httptest.NewRecorder(), written, read}, req)
			}()
			<-written
			w.do(201, "POST", "/parcel", large)
			close(read)
			<-ended
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, nil)
			large := w.largeBody()
			turns := w.turned(nil)
			end(w, large)
			if turns.Taken() != 0 {
				t.Fatalf("%d turns are taken", turns.Taken())
			}
			w.do(201, "POST", "/parcel", large)
		})
	}
}

// unreadResponse is a response whose reader reads nothing until it does.
type unreadResponse struct {
	*httptest.ResponseRecorder
	written chan<- struct{}
	read    <-chan struct{}
}

func (u *unreadResponse) Write(content []byte) (int, error) {
	close(u.written)
	<-u.read
	return u.ResponseRecorder.Write(content)
}

func TestWhoHasLeftDoesNotWaitForATurn(t *testing.T) {
	w := start(t, nil)
	large := w.largeBody()
	var leave []context.CancelCauseFunc
	var mu sync.Mutex
	turns := w.turned(func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancelCause(ctx)
		mu.Lock()
		defer mu.Unlock()
		leave = append(leave, cancel)
		return ctx
	})
	first := w.work(large)
	second := make(chan reply, 1)
	go func() { second <- w.send("POST", "/parcel", large) }()
	eventually(t, "it does not wait", func() bool { return turns.Waiting() == 1 })
	mu.Lock()
	leave[1](errors.New("the client has left"))
	mu.Unlock()
	if r := <-second; r.Code != http.StatusServiceUnavailable || turns.Waiting() != 0 {
		t.Errorf("status %d, and %d wait: %s", r.Code, turns.Waiting(), r.Body)
	}
	first.let()
	<-first.reply
	w.do(201, "POST", "/parcel", large)
}
