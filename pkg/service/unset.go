package service

import (
	"context"
	"log/slog"
	"slices"
)

// unset are the rules that do not run because their settings are not given.
type unset struct{ rules []slog.Attr }

// note keeps a setting and its effect; services of one process may share a setting.
func (u *unset) note(setting, effect string) {
	if rule := slog.String(setting, effect); !slices.ContainsFunc(u.rules, rule.Equal) {
		u.rules = append(u.rules, rule)
	}
}

// say tells of all of them in one line.
func (u *unset) say(log *slog.Logger) {
	if len(u.rules) > 0 {
		log.LogAttrs(context.Background(), slog.LevelInfo, "rules that are not set do not run", u.rules...)
	}
}
