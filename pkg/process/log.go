package process

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
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
		return slog.New(tint.NewTextHandler(out,
			&tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: !terminal}))
	}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level}))
}

// unset collects the rules that are off because their settings are not given.
type unset struct{ rules []slog.Attr }

// note adds a setting and what follows from its absence. Services of one process may share a setting.
func (u *unset) note(setting, effect string) {
	if rule := slog.String(setting, effect); !slices.ContainsFunc(u.rules, rule.Equal) {
		u.rules = append(u.rules, rule)
	}
}

// say logs all of them in one line.
func (u *unset) say(log *slog.Logger) {
	if len(u.rules) > 0 {
		log.LogAttrs(context.Background(), slog.LevelInfo,
			"these rules are off because their settings are not given", u.rules...)
	}
}
