package allinone

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
)

// TestAboutShowsNothingThatIsNotForCallers gives settings of all kinds, and looks at what is shown of them.
func TestAboutShowsNothingThatIsNotForCallers(t *testing.T) {
	data := t.TempDir()
	c := runTimed(t, data, "--credential", "a-secret-of-the-exchange", "--public-url", "https://public.example",
		"--token-command", "print-a-token", "--reporting-window", "720h", "--key-retention", "48h")
	about := c.do(t, "GET", "/x/about", "", 200)
	if about["unavailable"] != nil {
		t.Errorf("%v is unavailable", about["unavailable"])
	}
	var names []string
	values := map[string]string{}
	for _, entry := range about["processes"].([]any) {
		process := entry.(map[string]any)
		name := process["name"].(string)
		names = append(names, name)
		for _, entry := range process["settings"].([]any) {
			setting := entry.(map[string]any)
			value, _ := setting["value"].(string)
			values[name+" "+setting["name"].(string)] = value
		}
	}
	if want := append([]string{internalapi.Gateway}, internalapi.Services()...); !slices.Equal(names, want) {
		t.Errorf("the processes are %v, not %v", names, want)
	}
	for name, want := range map[string]string{
		"claims reporting-window": "720h0m0s", "coverage key-retention": "48h0m0s", "parties max-record": "2097152",
		"premium bordereau-period": "month", "premium refund-receipt-type": "", "feed events-retention": "720h0m0s",
		"feed webhook-private-addresses": "false", "gateway rate-limit": "0", "composite max-body": "1048576",
	} {
		if value, shown := values[name]; value != want || !shown {
			t.Errorf("%s is %q (%v), not %q", name, value, shown, want)
		}
	}
	text, err := json.Marshal(about)
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{"a-secret-of-the-exchange", data, "public.example", "print-a-token", "127.0.0.1"} {
		if strings.Contains(string(text), private) {
			t.Errorf("%s is shown: %s", private, text)
		}
	}
}
