package service

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
)

// NewLog makes the log of a process. The format auto is readable text on a terminal and JSON elsewhere.
func NewLog(out io.Writer, format string, level slog.Level) *slog.Logger {
	file, _ := out.(*os.File)
	terminal := file != nil && isatty.IsTerminal(file.Fd())
	if format == "text" || (format == "auto" && terminal) {
		return slog.New(tint.NewTextHandler(out, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: !terminal}))
	}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level}))
}
