package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/wait"
	"insurance.example/exchange/services/parties"
)

// patience bounds what a test waits for.
const patience = wait.Longest

// TestOutages starts a service without its MongoDB, then takes MongoDB away in two ways, and brings it back each time.
// Readiness follows, requests meanwhile get 503 before they time out, which none does in this test, and the service is
// not restarted.
func TestOutages(t *testing.T) {
	g, uri := newGate(t, nil)
	g.set(refusing)
	// The driver's own checks of the server come too late to end a request that hangs.
	s := startService(t, uri+"&heartbeatFrequencyMS=120000&connectTimeoutMS=120000")
	admin := s.await(t, "metrics and health")
	if waiting := s.await(t, "waiting for MongoDB"); !strings.Contains(fmt.Sprint(waiting["cause"]),
		"server selection") {
		t.Errorf("the log says %v", waiting)
	}
	s.health = "http://" + admin["address"].(string)
	s.awaitReady(t, false)
	if status, _ := s.call(t, http.MethodGet, s.health+"/livez", ""); status != http.StatusOK {
		t.Errorf("a process that waits is not alive: %d", status)
	}
	g.set(passing)
	s.address = "http://" + s.await(t, "listening")["address"].(string)
	s.awaitReady(t, true)
	if status, _ := s.create(t); status != http.StatusCreated {
		t.Fatalf("create: %d", status)
	}
	for name, state := range map[string]gateState{"refuses": refusing, "hangs": hanging} {
		g.set(state)
		// Nothing has asked the server since: the driver takes it for the primary.
		status, header := s.create(t)
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
			t.Errorf("MongoDB %s: status %d, Retry-After %q", name, status, header.Get("Retry-After"))
		}
		s.awaitReady(t, false)
		g.set(passing)
		s.awaitReady(t, true)
		if status, _ := s.create(t); status != http.StatusCreated {
			t.Errorf("MongoDB %s and is back: status %d", name, status)
		}
	}
}

// TestASlowDatabaseIsWaitedFor starts a service whose MongoDB breaks off the first indexes that are to be made.
func TestASlowDatabaseIsWaitedFor(t *testing.T) {
	var broken atomic.Int64
	proxy := startWire(t, address(t), func(c wireCommand) wireAction {
		return wireAction{CutRequest: c.Name == "createIndexes" && broken.Add(1) <= 3}
	})
	s := startService(t, proxy.URI())
	s.await(t, "waiting for MongoDB")
	s.address = "http://" + s.await(t, "listening")["address"].(string)
	if status, _ := s.create(t); status != http.StatusCreated {
		t.Errorf("create: %d", status)
	}
	if broken.Load() <= 3 {
		t.Errorf("%d attempts to make indexes", broken.Load())
	}
}

// TestStartRefusesWhatCannotWork checks that a service with a wrong setting does not wait, and names the setting.
func TestStartRefusesWhatCannotWork(t *testing.T) {
	wrong := secretFile(t, "not the password")
	for want, settings := range map[string][]string{
		"setting mongo-ca: open /none": {"--store", uri(t), "--mongo-ca", "/none"},
		"setting store: MongoDB does not accept": {
			"--store", uri(t), "--mongo-user", "nobody", "--mongo-password-file", wrong,
		},
		"setting store: ": {"--store", "mongodb://u:sEcret@127.0.0.1:99999999"},
	} {
		var stderr strings.Builder
		args := append([]string{"--addr", "127.0.0.1:0", "--admin-addr", "", "--credential", credential}, settings...)
		status := parties.Service().Definition().Program(stores.Open).
			Execute(t.Context(), args, nil, io.Discard, &stderr)
		if status != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("status %d, want %q: %s", status, want, stderr.String())
		}
		for _, secret := range []string{"sEcret", "not the password"} {
			if strings.Contains(stderr.String(), secret) {
				t.Errorf("a secret is shown: %s", stderr.String())
			}
		}
	}
}

const (
	credential = "a-secret-of-the-exchange"
	// requestTimeout is longer than a test waits for the service to say that MongoDB is away.
	requestTimeout = 24 * time.Hour
)

// runningService is a service that runs in this process.
type runningService struct {
	// address and health are URLs.
	address, health string

	mu sync.Mutex
	// log holds the lines of the log, which grows.
	log []map[string]any
	// records counts those that were created, so that each has a number of its own.
	records int
}

func startService(t *testing.T, uri string) *runningService {
	t.Helper()
	s := &runningService{}
	ctx, stop := context.WithCancel(context.Background())
	lines, stderr := io.Pipe()
	var both sync.WaitGroup
	both.Go(func() {
		defer stderr.Close()
		parties.Service().Definition().Program(stores.Open).Execute(ctx, []string{
			"--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--store", uri, "--credential", credential,
			"--request-timeout", requestTimeout.String(), "--log-format", "json", "--drain-timeout", "1s",
		}, nil, io.Discard, stderr)
	})
	both.Go(func() {
		for scan := bufio.NewScanner(lines); scan.Scan(); {
			line := map[string]any{}
			_ = json.Unmarshal(scan.Bytes(), &line)
			s.mu.Lock()
			s.log = append(s.log, line)
			s.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		stop()
		both.Wait()
	})
	return s
}

// await returns the line of the log with a message.
func (s *runningService) await(t *testing.T, message string) map[string]any {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		log := s.log
		s.mu.Unlock()
		for _, line := range log {
			if line["msg"] == message {
				return line
			}
		}
	}
	t.Fatalf("the log has no line %q: %v", message, s.log)
	return nil
}

// awaitReady returns when the service is ready, or is not, as wanted.
func (s *runningService) awaitReady(t *testing.T, ready bool) {
	t.Helper()
	want := http.StatusServiceUnavailable
	if ready {
		want = http.StatusOK
	}
	wait.Until(t, func() error {
		if status, _ := s.call(t, http.MethodGet, s.health+"/readyz", ""); status != want {
			return fmt.Errorf("readiness is %d, not %d", status, want)
		}
		return nil
	})
}

// create creates a record.
func (s *runningService) create(t *testing.T) (status int, header http.Header) {
	t.Helper()
	s.records++
	return s.call(t, http.MethodPost, s.address+"/personal",
		fmt.Sprintf(`{"firstName":"Ada","lastName":"Example","dob":"1990-12-10",`+
			`"idType":"passport","idNumber":"X-%d-%d","address":{"city":"London","country":"GB"}}`, time.Now().
			UnixNano(), s.records))
}

func (s *runningService) call(t *testing.T, method, url, body string) (int, http.Header) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(request.CredentialHeader, credential)
	req.Header.Set(request.CallerHeader, "tester")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode, response.Header
}
