package process

import (
	"context"
	"log/slog"
	"slices"
)

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
		log.LogAttrs(context.Background(), slog.LevelInfo, "these rules are off because their settings are not given", u.rules...)
	}
}
