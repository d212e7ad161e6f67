package desk_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/desk"
)

// said are the lines that a command shows while it runs.
type said chan string

func (s said) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// TestAnExportShowsHowFarItIs exports a version from an exchange that keeps back the last two of its five lines until
// the command has said that it has three.
func TestAnExportShowsHowFarItIs(t *testing.T) {
	shown, seen := make(said, 100), ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/lines.csv") {
			fmt.Fprint(w, `{"number":1,"lines":5}`)
			return
		}
		w.Header().Set("Content-Type", "text/csv")
		fmt.Fprint(w, "Line\r\n1\r\n2\r\n3\r\n")
		w.(http.Flusher).Flush()
		for seen = ""; !strings.Contains(seen, "3 of 5 lines"); {
			select {
			case seen = <-shown:
			case <-r.Context().Done():
				return
			}
		}
		fmt.Fprint(w, "4\r\n5\r\n")
	}))
	defer server.Close()
	var out strings.Builder
	for _, command := range desk.Commands(client.Surroundings{
		Environ: []string{"EXCHANGE_URL=" + server.URL, "EXCHANGE_TOKEN=token"}, In: strings.NewReader(""), Out: &out,
		Err: shown,
	}) {
		if command.Name() != "bordereau" {
			continue
		}
		command.SetArgs([]string{"export", "C", "premium", "2026-01", "1"})
		command.SetErr(io.Discard)
		if err := command.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := "Line\r\n1\r\n2\r\n3\r\n4\r\n5\r\n"; out.String() != want {
		t.Errorf("exported %q", out.String())
	}
	if !strings.Contains(seen, "exporting: 3 of 5 lines, for ") {
		t.Errorf("it said %q", seen)
	}
}
