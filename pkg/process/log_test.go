package process_test

import (
	"log/slog"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/process"
)

func TestLogFormats(t *testing.T) {
	for format, beginning := range map[string]string{"json": `{"time":`, "auto": `{"time":`, "text": ""} {
		var out strings.Builder
		log := process.NewLog(&out, format, slog.LevelWarn)
		log.Info("unheard")
		log.Warn("heard", "request", "order-7")
		text := out.String()
		if strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, beginning) || !strings.Contains(text, "heard") ||
			strings.Contains(text, "unheard") || (format == "text") == strings.HasPrefix(text, "{") {
			t.Errorf("%s: %q", format, text)
		}
	}
}
