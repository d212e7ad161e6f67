package main

import (
	"fmt"

	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

type level = checker.Level

// internal are the rules whose level differs from that in oasdiff, for contracts between services. Removing a member
// that may be absent breaks a service too: it takes the absence for a fact, such as that a policy has no end.
var internal = map[string]level{
	checker.ResponseOptionalPropertyRemovedId: checker.ERR,
}

// public are the same for callers of the exchange. The operator of an exchange can extend a value set, so a new value
// breaks no caller.
var public = map[string]level{
	checker.ResponseOptionalPropertyRemovedId: checker.ERR,
	checker.ResponsePropertyEnumValueAddedId:  checker.INFO,
	checker.ResponseMediaTypeEnumValueAddedId: checker.INFO,
}

// compare returns what breaks, each as a line. It returns nothing if the major version of today is a later one. An
// earlier version than the released one is an error.
func (c contract) compare() ([]string, error) {
	was, err := major(c.released)
	if err != nil {
		return nil, err
	}
	is, err := major(c.today)
	switch {
	case err != nil:
		return nil, err
	case is < was:
		return nil, fmt.Errorf("the version %s is below the released %s", c.today.Info.Version, c.released.Info.Version)
	case is > was:
		return nil, nil
	}
	released := &load.SpecInfo{Url: "released", Spec: c.released, Version: c.released.Info.Version}
	today := &load.SpecInfo{Url: "today", Spec: c.today, Version: c.today.Info.Version}
	differences, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), released, today)
	if err != nil {
		return nil, err
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(c.levels))
	localizer := checker.NewDefaultLocalizer()
	var breaks []string
	for _, change := range checker.CheckBackwardCompatibilityUntilLevel(config, differences, sources, checker.WARN) {
		breaks = append(breaks, fmt.Sprintf("%s %s: %s (%s)", change.GetOperation(), change.GetPath(),
			change.GetUncolorizedText(localizer), change.GetId()))
	}
	return breaks, nil
}
