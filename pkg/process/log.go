package process

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
)

// NewLog returns the log of a process. format is "text" for people, "json" for programs, or "auto", which is text if
// out is a terminal and JSON if it is not.
func NewLog(out io.Writer, format string, level slog.Level) *slog.Logger {
	file, _ := out.(*os.File)
	terminal := file != nil && isatty.IsTerminal(file.Fd())
	if format == "text" || (format == "auto" && terminal) {
		return slog.New(tint.NewTextHandler(out, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: !terminal}))
	}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level}))
}
