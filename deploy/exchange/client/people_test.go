package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/deploy/exchange/client"
)

// call runs a command against an exchange, and returns what it prints and what it reports at the end.
func call(t *testing.T, exchange http.HandlerFunc, args ...string) (out, reported string) {
	t.Helper()
	server := httptest.NewServer(exchange)
	defer server.Close()
	var printed, said strings.Builder
	for _, command := range client.Commands(client.Surroundings{
		Environ: []string{"EXCHANGE_URL=" + server.URL, "EXCHANGE_TOKEN=token"}, In: strings.NewReader(""),
		Out: &printed, Err: &said,
	}) {
		if command.Name() != args[0] {
			continue
		}
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs(args[1:])
		client.Report(&said, command.ExecuteContext(t.Context()))
	}
	return printed.String(), said.String()
}

// written writes a file of a test, and returns its name.
func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestImportPrintsWhatItMade imports vehicles at an exchange that keeps the first back until it has the others, and
// refuses one. The others are printed in the order of the file.
func TestImportPrintsWhatItMade(t *testing.T) {
	const plates = 5
	var others sync.WaitGroup
	others.Add(plates - 1)
	lines := ""
	for n := range plates {
		lines += fmt.Sprintf("{\"plateNumber\":\"EX %d\"}\n", n)
	}
	file := written(t, "fleet.ndjson", lines)
	out, _ := call(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		plate := strings.TrimSuffix(strings.TrimPrefix(string(body), `{"plateNumber":"EX `), `"}`)
		if plate == "0" {
			others.Wait()
		} else {
			defer others.Done()
		}
		if plate == "3" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"title":"invalid field"}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":"ID-%s","plateNumber":"EX %[1]s","vin":"V"}`, plate)
	}, "import", "vehicle", file)
	want := "1\tID-0\tEX 0\n2\tID-1\tEX 1\n3\tID-2\tEX 2\n5\tID-4\tEX 4\n" +
		"5 records: 4 created, 0 already there, 1 refused.\n"
	if out != want {
		t.Errorf("it prints\n%s\nnot\n%s", out, want)
	}
}

// TestAnExchangeWithoutADesk imports a table at an exchange that does not read any.
func TestAnExchangeWithoutADesk(t *testing.T) {
	_, said := call(t, http.NotFound, "import", "vehicle", written(t, "fleet.csv", "plateNumber\nEX 0\n"))
	if !strings.Contains(said, "send the records as NDJSON") {
		t.Errorf("it says %s", said)
	}
}

// TestDescribeSaysWhatIsRequired describes a resource from the document.
func TestDescribeSaysWhatIsRequired(t *testing.T) {
	out, _ := call(t, func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write(openapi.Published()); err != nil {
			t.Error(err)
		}
	}, "describe", "claim")
	if !strings.Contains(out, "\nRequired to create one: policyNumber, lossDate, claimType\n") {
		t.Errorf("it says\n%s", out)
	}
}

// TestTablesShowWhatPeopleKnow lists policies on a screen that has no room for all of their members.
func TestTablesShowWhatPeopleKnow(t *testing.T) {
	const id = "0199c3a0-0000-7000-8000-00000000000"
	out, said := call(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `[{"id":"%[1]s1","policyNumber":"POL-1","policyholderId":"%[1]s2","vehicleId":"%[1]s3",`+
			`"driverId":"%[1]s4","perils":["fire","theft"],"grossWrittenPremium":420.50,"status":"in force",`+
			`"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"}]`, id)
	}, "list", "motorCoverage", "-o", "table")
	header := strings.Fields(out)
	if header[0] != "policyNumber" || header[1] != "status" {
		t.Errorf("the columns are %v", header)
	}
	for _, word := range []string{"grossWrittenPremium", "POL-1", "420.50", "in force", "2026-01-01"} {
		if !strings.Contains(out, word) {
			t.Errorf("it lacks %s:\n%s", word, out)
		}
	}
	if !strings.Contains(said, "Not shown for want of room: ") || !strings.Contains(said, "vehicleId") {
		t.Errorf("it says %s", said)
	}
}
