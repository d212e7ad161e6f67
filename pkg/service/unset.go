package service

import (
	"log/slog"
	"slices"
)

// unset are the rules that do not run because their settings are not given.
type unset struct{ rules []any }

// note keeps a setting and its effect; services of one process may share a setting.
func (u *unset) note(setting, effect string) {
	if rule := slog.String(setting, effect); !slices.Contains(u.rules, any(rule)) {
		u.rules = append(u.rules, rule)
	}
}

// say tells of all of them in one line.
func (u *unset) say(log *slog.Logger) {
	if len(u.rules) > 0 {
		log.Info("rules that are not set do not run", u.rules...)
	}
}
