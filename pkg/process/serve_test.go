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
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/servicetest/memory"
)

// open makes a process that listens on free ports of this host.
func open(t *testing.T, change func(*process.Settings)) (*process.Process, *journal) {
	t.Helper()
	p, journal := made(change)
	if err := p.Listen(); err != nil {
		t.Fatal(err)
	}
	return p, journal
}

// network is what processes in bubbles listen on.
var network memory.Network

// openInMemory is open for a test in a bubble, by whose end the process is closed.
func openInMemory(t *testing.T, change func(*process.Settings)) (*process.Process, *journal) {
	t.Helper()
	p, journal := made(change)
	p.ListenBy(network.Listen)
	if err := p.Listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended, end := context.WithCancel(context.Background())
		end()
		p.Await(ended)
	})
	return p, journal
}

// made returns a process that does not listen yet.
func made(change func(*process.Settings)) (*process.Process, *journal) {
	settings := process.Settings{
		Listen: "127.0.0.1:0", Admin: "127.0.0.1:0", Secrets: []string{"a-secret-of-the-exchange"},
		RequestTimeout: time.Minute, ClientTimeout: 10 * time.Second, DrainTimeout: 10 * time.Second,
		LargestBody: 1 << 20, OverloadRequests: 256,
	}
	if change != nil {
		change(&settings)
	}
	journal := &journal{}
	return process.NewProcess(settings, process.NewLog(journal, "json", slog.LevelInfo)), journal
}

// dial connects to a process from an address of this host, in memory if it listens there.
func dial(ctx context.Context, from, address string) (net.Conn, error) {
	if network.Listens(address) {
		return network.DialFrom(ctx, from, address)
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return dialer.DialContext(ctx, "tcp", address)
}

// newTransport returns a transport to processes, which keeps no connections.
func newTransport() *http.Transport {
	toProcess := func(ctx context.Context, _, to string) (net.Conn, error) { return dial(ctx, "127.0.0.1", to) }
	return &http.Transport{DisableKeepAlives: true, DialContext: toProcess}
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
	client := &http.Client{Transport: newTransport(), Timeout: time.Minute}
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
	synctest.Test(t, func(t *testing.T) {
		p, journal := openInMemory(t, nil)
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
			connection, err := dial(t.Context(), "127.0.0.1", p.Address())
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
	})
}

func TestRequestsThatDoNotEndAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := openInMemory(t, func(s *process.Settings) { s.DrainTimeout = 20 * time.Millisecond })
		ctx, stop := context.WithCancel(t.Context())
		leave := make(chan struct{})
		defer close(leave)
		handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stop(); <-leave })
		served := make(chan error, 1)
		go func() { served <- p.Serve(ctx, handler) }()
		began := time.Now()
		status, _ := get(t, "http://"+p.Address())
		if took := time.Since(began); status != 0 || took > time.Second {
			t.Errorf("status %d after %v, want a connection cut off", status, took)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
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
	synctest.Test(t, func(t *testing.T) {
		p, journal := openInMemory(t, nil)
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
		if status, body := get(t, admin+"/metrics"); status != http.StatusOK ||
			!strings.Contains(body, "go_goroutines") {
			t.Errorf("metrics: %d", status)
		}
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func TestHangingCheckIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, journal := openInMemory(t, func(s *process.Settings) { s.Profiling = true })
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
	})
}
