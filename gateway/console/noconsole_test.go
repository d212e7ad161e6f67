//go:build noconsole

package console_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"insurance.example/exchange/gateway/console"
)

// TestWithoutConsole asks a gateway that was built without the console, where there would be one.
func TestWithoutConsole(t *testing.T) {
	pages := console.Pages(console.Config{OwnTokens: true})
	w := httptest.NewRecorder()
	pages[console.Path].ServeHTTP(w, httptest.NewRequest(http.MethodGet, console.Path, nil))
	if console.Built() || len(pages) != 1 || w.Code != http.StatusNotFound ||
		!strings.Contains(w.Body.String(), "built without the console") {
		t.Errorf("built: %v, %d pages, status %d: %s", console.Built(), len(pages), w.Code, w.Body)
	}
}
