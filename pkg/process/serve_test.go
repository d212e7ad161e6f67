package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/pkg/process"
)

// process makes a process that listens on free ports of this host.
func open(t *testing.T, change func(*process.Settings)) (*process.Process, *journal) {
	t.Helper()
	settings := process.Settings{
		Listen: "127.0.0.1:0", Admin: "127.0.0.1:0", Secrets: []string{"a-secret-of-the-exchange"},
		RequestTimeout: time.Minute, DrainTimeout: 10 * time.Second, LargestBody: 1 << 20,
	}
	if change != nil {
		change(&settings)
	}
	journal := &journal{}
	p := process.NewProcess(settings, process.NewLog(journal, "json", slog.LevelInfo))
	if err := p.Listen(); err != nil {
		t.Fatal(err)
	}
	return p, journal
}

// adminURL finds the admin address in the log.
func (j *journal) adminURL(t *testing.T) string {
	t.Helper()
	for _, line := range j.lines() {
		if line["msg"] == "metrics and health" {
			return "http://" + line["address"].(string)
		}
	}
	t.Fatal("the log does not name the admin address")
	return ""
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	response, err := client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not come to hold")
		}
		<-time.After(5 * time.Millisecond)
	}
}

// diary notes the order of events.
type diary struct {
	mu     sync.Mutex
	events []string
}

func (d *diary) note(event string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, event)
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.events)
}

func TestStopIsOrderly(t *testing.T) {
	p, journal := open(t, nil)
	var order diary
	entered, leave := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		order.note("request")
		_, _ = io.WriteString(w, "done")
	})
	p.Background("relay", func(ctx context.Context) error {
		<-ctx.Done()
		order.note("loop")
		return ctx.Err()
	})
	p.OnClose(func() error { order.note("store"); return nil })
	p.OnClose(func() error { order.note("consumer"); return nil })

	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, handler) }()
	url := "http://" + p.Address()
	answered := make(chan string, 1)
	go func() { _, body := get(t, url); answered <- body }()
	<-entered
	if status, body := get(t, journal.adminURL(t)+"/readyz"); status != http.StatusOK {
		t.Errorf("while serving: %d %s", status, body)
	}
	stop()
	// Not ready, and no new requests, while the one under way goes on.
	eventually(t, func() bool {
		status, _ := get(t, journal.adminURL(t)+"/readyz")
		return status == http.StatusServiceUnavailable
	})
	if status, _ := get(t, journal.adminURL(t)+"/livez"); status != http.StatusOK {
		t.Errorf("live while stopping: %d", status)
	}
	eventually(t, func() bool {
		connection, err := net.Dial("tcp", p.Address())
		if err == nil {
			connection.Close()
		}
		return err != nil
	})
	close(leave)
	if body := <-answered; body != "done" {
		t.Errorf("the request under way got %q", body)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if want := []string{"request", "loop", "consumer", "store"}; !slices.Equal(order.read(), want) {
		t.Errorf("order %q, want %q", order.read(), want)
	}
}

func TestRequestsThatDoNotEndAreCutOff(t *testing.T) {
	p, _ := open(t, func(s *process.Settings) { s.DrainTimeout = 20 * time.Millisecond })
	ctx, stop := context.WithCancel(t.Context())
	leave := make(chan struct{})
	defer close(leave)
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stop(); <-leave })
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, handler) }()
	if status, _ := get(t, "http://"+p.Address()); status != 0 {
		t.Errorf("status %d, want a connection cut off", status)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestProcessEndsWithALoop(t *testing.T) {
	for name, outcome := range map[string]error{"an error": errors.New("broker gone"), "nothing more": nil} {
		t.Run(name, func(t *testing.T) {
			p, _ := open(t, nil)
			p.Background("relay", func(context.Context) error { return outcome })
			err := p.Serve(t.Context(), http.NotFoundHandler())
			if err == nil || !strings.Contains(err.Error(), "relay ended") ||
				(outcome != nil && !errors.Is(err, outcome)) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestPortInUseSaysWhatToDo(t *testing.T) {
	first, _ := open(t, nil)
	for setting, settings := range map[string]process.Settings{
		"addr":       {Listen: first.Address()},
		"admin-addr": {Listen: "127.0.0.1:0", Admin: first.Address()},
	} {
		err := process.NewProcess(settings, slog.New(slog.DiscardHandler)).Listen()
		if err == nil || !strings.Contains(err.Error(), "setting "+setting+":") ||
			!strings.Contains(err.Error(), "--"+setting) ||
			!strings.Contains(err.Error(), first.Address()) {
			t.Errorf("error %v, want the address and --%s", err, setting)
		}
	}
}

func TestReadinessReportsEachCheck(t *testing.T) {
	p, journal := open(t, nil)
	admin := journal.adminURL(t)
	if status, body := get(t, admin+"/readyz"); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, "starting") {
		t.Errorf("before it serves: %d %s", status, body)
	}
	down := make(chan error, 1)
	down <- errors.New("no primary")
	p.Ready("coverage store", func(context.Context) error {
		select {
		case err := <-down:
			return err
		default:
			return nil
		}
	})
	p.Ready("keys", func(context.Context) error { return nil })
	p.Ready("kafka", func(context.Context) error { return process.Degraded(errors.New("the password is wrong")) })
	p.Ready("other kafka", func(context.Context) error { return process.Degraded(nil) })
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, http.NotFoundHandler()) }()
	eventually(t, func() bool { status, _ := get(t, "http://"+p.Address()); return status == http.StatusNotFound })

	var report struct {
		Ready  bool
		Checks map[string]string
	}
	status, body := get(t, admin+"/readyz")
	if err := json.Unmarshal([]byte(body), &report); err != nil {
		t.Fatal(err)
	}
	if status != http.StatusServiceUnavailable || report.Ready || report.Checks["coverage store"] != "no primary" ||
		report.Checks["keys"] != "ok" {
		t.Errorf("%d %s", status, body)
	}
	if status, body = get(t, admin+"/readyz"); status != http.StatusOK {
		t.Errorf("after it recovered: %d %s", status, body)
	}
	if !strings.Contains(body, `"kafka":"degraded: the password is wrong"`) ||
		!strings.Contains(body, `"other kafka":"ok"`) {
		t.Errorf("it is ready although something is wrong, and says only %s", body)
	}
	if status, _ := get(t, admin+"/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("profiles without being asked for: %d", status)
	}
	if status, body := get(t, admin+"/metrics"); status != http.StatusOK || !strings.Contains(body, "go_goroutines") {
		t.Errorf("metrics: %d", status)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestHangingCheckIsNotWaitedFor(t *testing.T) {
	p, journal := open(t, func(s *process.Settings) { s.Profiling = true })
	leave := make(chan struct{})
	defer close(leave)
	p.Ready("kafka", func(context.Context) error { <-leave; return nil })
	if status, body := get(t, journal.adminURL(t)+"/readyz"); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, `"kafka":"no result in time"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := get(t, journal.adminURL(t)+"/debug/pprof/"); status != http.StatusOK {
		t.Errorf("profiles: %d", status)
	}
}
