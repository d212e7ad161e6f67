package broker

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kfake"
)

// logger passes the log of the broker on. What it says of each request is for debugging.
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
