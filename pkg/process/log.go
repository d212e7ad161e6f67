package process

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"

	"insurance.example/exchange/pkg/audit"
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

// The setting of the audit log, and its values besides a file.
const (
	auditLog    = "audit-log"
	auditAuto   = "auto"
	auditStdout = "stdout"
	auditOff    = "off"
)

// KeepAudit opens the audit log of the routers that are made from now on. file is where it goes if the settings leave
// that open; standard output if it is empty.
func (p *Process) KeepAudit(file string) error {
	to := p.Settings.AuditLog
	if to == auditAuto {
		to = cmp.Or(file, auditStdout)
	}
	switch to {
	case auditOff, "":
		p.Log.Info("no audit log is kept", "setting", auditLog)
		return nil
	case auditStdout:
		p.audit = audit.Open(p.stdout, p.Log, p.Registry)
	default:
		out, err := audit.File(to, int(p.Settings.AuditFiles))
		if err != nil {
			return fmt.Errorf("setting %s: %w; name another file, stdout, or off", auditLog, err)
		}
		p.OnClose(out.Close)
		p.audit = audit.Open(out, p.Log, p.Registry)
	}
	p.OnClose(p.audit.Close)
	return nil
}
