package broker

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kfake"
)

// logger writes the log of the broker to log. Its lines about single requests get the level debug.
type logger struct{ log *slog.Logger }

func (l logger) Logf(level kfake.LogLevel, format string, args ...any) {
	as := slog.LevelDebug
	switch level {
	case kfake.LogLevelError:
		as = slog.LevelError
	case kfake.LogLevelWarn:
		as = slog.LevelWarn
	}
	if l.log.Enabled(context.Background(), as) {
		l.log.Log(context.Background(), as, fmt.Sprintf(format, args...), "component", "broker")
	}
}
