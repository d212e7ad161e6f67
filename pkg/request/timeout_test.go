package request_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
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

// TestTheNextProcessGivesUpFirst: it has less time than its caller, so that it can say what it waits for.
func TestTheNextProcessGivesUpFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		header := http.Header{}
		if request.WriteTimeout(ctx, header); header.Get(request.TimeoutHeader) != "58800" {
			t.Errorf("of a minute %s ms are left", header.Get(request.TimeoutHeader))
		}
	})
}
