package desk_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/desk"
	"insurance.example/exchange/pkg/servicetest/memory"
)

// said are the lines that a command shows while it runs.
type said chan string

func (s said) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// network is where the exchanges of the tests are.
var network memory.Network

// The client takes over from the default transport how connections with TLS are made. Here they are in memory, and
// have no TLS.
func init() { http.DefaultTransport.(*http.Transport).DialTLSContext = network.Dial }

// run runs a command against an exchange, and returns what it prints. shown takes what it says meanwhile. It is called
// in a bubble, by whose clock the command says something.
func run(t *testing.T, exchange http.HandlerFunc, shown said, args ...string) string {
	t.Helper()
	out, err := attempt(t, exchange, shown, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// attempt runs a command as run does, which may fail.
func attempt(t *testing.T, exchange http.HandlerFunc, shown said, args ...string) (printed string, err error) {
	t.Helper()
	listener, err := network.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: exchange}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	var out strings.Builder
	for _, command := range desk.Commands(client.Surroundings{
		Environ: []string{"EXCHANGE_URL=https://" + listener.Addr().String(), "EXCHANGE_TOKEN=token"},
		In:      strings.NewReader(""), Out: &out, Err: shown,
	}) {
		if command.Name() != args[0] {
			continue
		}
		command.SetArgs(args[1:])
		command.SetErr(io.Discard)
		command.SilenceErrors, command.SilenceUsage = true, true
		err = command.ExecuteContext(t.Context())
	}
	return out.String(), err
}

// until waits until a command has said something, or the request has ended.
func (s said) until(r *http.Request, what string) (seen string) {
	for !strings.Contains(seen, what) {
		select {
		case seen = <-s:
		case <-r.Context().Done():
			return seen
		}
	}
	return seen
}

// TestAnExportShowsHowFarItIs exports a version from an exchange that keeps back the last two of its five lines until
// the command has said that it has three.
func TestAnExportShowsHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown, seen := make(said, 100), ""
		out := run(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/lines.csv") {
				fmt.Fprint(w, `{"number":1,"lines":5}`)
				return
			}
			w.Header().Set("Content-Type", "text/csv")
			fmt.Fprint(w, "Line\r\n1\r\n2\r\n3\r\n")
			w.(http.Flusher).Flush()
			seen = shown.until(r, "3 of 5 lines")
			fmt.Fprint(w, "4\r\n5\r\n")
		}, shown, "bordereau", "export", "C", "premium", "2026-01", "1")
		if want := "Line\r\n1\r\n2\r\n3\r\n4\r\n5\r\n"; out != want {
			t.Errorf("exported %q", out)
		}
		if !strings.Contains(seen, "exporting: 3 of 5 lines, for ") {
			t.Errorf("it said %q", seen)
		}
	})
}

// TestAPreparationShowsHowFarItIs prepares a version at an exchange that makes it once the command has said what the
// exchange says meanwhile.
func TestAPreparationShowsHowFarItIs(t *testing.T) {
	for kind, looked := range map[string]string{"premium": "receipts", "claims": "claims"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shown, seen := make(said, 100), ""
				run(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					switch r.Method + " " + r.URL.Path {
					case "POST /x/bordereau/C/" + kind + "/2026-01:prepare":
						seen = shown.until(r, "read")
						w.WriteHeader(http.StatusCreated)
						fmt.Fprint(w, `{"number":1}`)
					case "GET /x/bordereau":
						if is, want := r.URL.RawQuery, "contract=C&from=2026-01&kind="+kind+"&limit=1"; is != want {
							t.Errorf("asked for %s", is)
						}
						fmt.Fprint(w, `{"periods":[{"preparing":{"read":2400,"made":1200}}]}`)
					}
				}, shown, "bordereau", "prepare", "C", kind, "2026-01")
				want := "preparing the version: 2400 " + looked + " read, 1200 lines made, for "
				if !strings.Contains(seen, want) {
					t.Errorf("it said %q", seen)
				}
			})
		})
	}
}

// TestAComparisonShowsHowFarItIs compares a file at an exchange that does so once the command has said what the
// exchange says meanwhile. At first the exchange does not know yet.
func TestAComparisonShowsHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "january.csv")
		if err := os.WriteFile(file, []byte("Policy\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		shown, seen, looks := make(said, 100), "", 0
		var asked []string
		run(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch r.Method + " " + r.URL.Path {
			case "POST /x/reconciliation/statement":
				asked = append(asked, r.URL.RawQuery)
				fmt.Fprint(w, `{"id":"S","rows":3000}`)
			case "POST /x/reconciliation/run":
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				asked = append(asked, string(body))
				seen = shown.until(r, "read")
				w.WriteHeader(http.StatusCreated)
				fmt.Fprint(w, `{"id":"R"}`)
			case "GET /x/reconciliation/statement/S":
				switch looks++; looks {
				case 1:
					w.WriteHeader(http.StatusNotFound)
				case 2:
					fmt.Fprint(w, `{"id":"S","rows":3000}`)
				default:
					fmt.Fprint(w, `{"id":"S","comparing":{"read":4000,"of":6000,"made":200}}`)
				}
			}
		}, shown, "reconcile", "compare", file, "C", "premium", "2026-01", "--profile", "P", "--replaces", "B",
			"--carry")
		if len(asked) != 2 || asked[0] != "profile=P&replaces=B" || !strings.Contains(asked[1], `"carry":true`) {
			t.Errorf("it asked for %q", asked)
		}
		if !strings.Contains(seen, "comparing 3000 rows: 4000 of 6000 rows and lines read, 200 items made, for ") {
			t.Errorf("it said %q", seen)
		}
	})
}
