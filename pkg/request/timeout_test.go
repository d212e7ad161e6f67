package request_test

import (
	"net/http"
	"testing"
	"time"

	"insurance.example/exchange/pkg/request"
)

func TestTimeoutIsTheShorterOne(t *testing.T) {
	for given, want := range map[string]time.Duration{
		"": time.Second, "200": 200 * time.Millisecond, "5000": time.Second, "-1": time.Second, "0": time.Second,
		"x": time.Second,
	} {
		header := http.Header{}
		if given != "" {
			header.Set(request.TimeoutHeader, given)
		}
		if got := request.ReadTimeout(header, time.Second); got != want {
			t.Errorf("header %q leaves %v, want %v", given, got, want)
		}
	}
}
