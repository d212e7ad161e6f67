package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client"
)

// TestAFileIsSent sends a file to a server that is not available at first. It is sent again, whole, if that does no
// harm; and each time only once the server has asked for it, so that a file that is too large is not sent at all.
func TestAFileIsSent(t *testing.T) {
	const content = "Policy;Gross\nP;100\n"
	file := filepath.Join(t.TempDir(), "january.csv")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, repeatable := range []bool{true, false} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			if r.Header.Get("Expect") != "100-continue" || r.Header.Get("Content-Type") != "text/csv" ||
				r.ContentLength != int64(len(content)) {
				t.Errorf("%d bytes come with %v", r.ContentLength, r.Header)
			}
			if body, err := io.ReadAll(r.Body); err != nil || string(body) != content {
				t.Errorf("the file is %q (%v)", body, err)
			}
			if requests == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			fmt.Fprint(w, "{}")
		}))
		connect := client.Connect(client.Surroundings{
			Environ: []string{"EXCHANGE_URL=" + server.URL, "EXCHANGE_TOKEN=token"}, Out: io.Discard, Err: io.Discard,
		}, &cobra.Command{})
		exchange, err := connect()
		if err != nil {
			t.Fatal(err)
		}
		asked := client.Request{
			Method: http.MethodPost, Path: "/x", File: file, Media: "text/csv", Repeatable: repeatable,
		}
		if _, err := exchange(t.Context(), asked); (err == nil) != repeatable {
			t.Errorf("repeatable %t: %v", repeatable, err)
		}
		asked.File = t.TempDir()
		if _, err := exchange(t.Context(), asked); err == nil {
			t.Error("a folder was sent")
		}
		server.Close()
	}
}

// TestAWrongPatience gives the command line a variable that is no number of times.
func TestAWrongPatience(t *testing.T) {
	for _, wrong := range []string{"0", "-1", "1.5", "1001", "long"} {
		connect := client.Connect(client.Surroundings{
			Environ: []string{"EXCHANGE_TOKEN=token", "EXCHANGE_PATIENCE=" + wrong}, Out: io.Discard, Err: io.Discard,
		}, &cobra.Command{})
		if _, err := connect(); err == nil || !strings.Contains(err.Error(), "EXCHANGE_PATIENCE") {
			t.Errorf("patience %s: %v", wrong, err)
		}
	}
}
