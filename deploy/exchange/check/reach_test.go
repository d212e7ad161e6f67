package check

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/exchange/client"
)

// TestMongoDBThatIsNotThere runs the command. Its error names the address without the credentials, and what to do, in
// no words of the driver.
func TestMongoDBThatIsNotThere(t *testing.T) {
	var notes bytes.Buffer
	command := Command(nil, io.Discard, &notes)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs([]string{"--store", "mongodb://exchange:sEcret@127.0.0.1:1/?authSource=admin",
		"--mongo-selection-timeout", "50ms"})
	status := client.Report(&notes, command.ExecuteContext(t.Context()))
	said := notes.String()
	if status != 3 || !strings.Contains(said, "MongoDB at 127.0.0.1:1 does not respond: ") ||
		!strings.Contains(said, "--store or EXCHANGE_STORE says where it is") {
		t.Errorf("status %d: %s", status, said)
	}
	for _, word := range []string{"sEcret", "topology", "server selection", "docstore"} {
		if strings.Contains(said, word) {
			t.Errorf("it says %q: %s", word, said)
		}
	}
}

// TestStoppedIsForMongoDB runs the command. Of a folder it sees whether an exchange runs.
func TestStoppedIsForMongoDB(t *testing.T) {
	var notes bytes.Buffer
	command := Command(nil, io.Discard, &notes)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs([]string{"--stopped", "--data", t.TempDir()})
	status := client.Report(&notes, command.ExecuteContext(t.Context()))
	if said := notes.String(); status != 2 || !strings.Contains(said, "setting stopped: it is for --store") {
		t.Errorf("status %d: %s", status, said)
	}
}
