package merged

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
)

// TypePrefix begins the type of every event.
const TypePrefix = "exchange."

// every, at the end of a type, stands for all types of a resource.
const every = ".*"

// longest is the greatest length of a policy number or state in an event, so that an event is below 1 KB. Those that
// the exchange issues are far shorter.
const longest = 128

// Filter selects events among those that the reader sees. The zero value selects all.
type Filter struct {
	// Types are types of events, or exchange.claim.* for all of a resource. None selects all.
	Types []string
	// PolicyNumber is the number of a policy; empty for all.
	PolicyNumber string
}

// selects reports whether the event of a change is selected.
func (f Filter) selects(c *internalapi.Change) bool {
	if f.PolicyNumber != "" && f.PolicyNumber != short(c.PolicyNumber) {
		return false
	}
	return len(f.Types) == 0 || slices.ContainsFunc(f.Types, func(t string) bool {
		if of, all := strings.CutSuffix(t, every); all {
			return of == TypePrefix+c.Resource
		}
		return t == typeOf(c)
	})
}

// KnownType returns what is wrong with a type to select events by, empty if nothing is: the resource must be one of
// those that there are.
func KnownType(t string, resources []string) (wrong string) {
	resource, what, has := strings.Cut(strings.TrimPrefix(t, TypePrefix), ".")
	if !strings.HasPrefix(t, TypePrefix) || !has || !slices.Contains(resources, resource) ||
		what != "*" && (what == "" || strings.Trim(what, "abcdefghijklmnopqrstuvwxyz") != "") {
		return "must be exchange, a resource, and what was done, as exchange.claim.settled, or exchange.claim.* for " +
			"all that is done to one"
	}
	return ""
}

// under reports whether an event can be selected that is under what a keeper has.
func (f Filter) under(keeper string) bool {
	const ofContracts = TypePrefix + beyond.BordereauEvent + "."
	if keeper == contracts && f.PolicyNumber != "" {
		return false // events about a bordereau have none
	}
	return len(f.Types) == 0 || slices.ContainsFunc(f.Types, func(t string) bool {
		return strings.HasPrefix(t, ofContracts) == (keeper == contracts)
	})
}

func typeOf(c *internalapi.Change) string { return TypePrefix + c.Resource + "." + c.Type }

// eventOf returns the event of a change.
func eventOf(c *internalapi.Change) beyond.FeedEvent {
	href := cmp.Or(c.Href, "/"+c.Resource+"/"+string(c.ID))
	number := short(c.PolicyNumber)
	return beyond.FeedEvent{
		SpecVersion: "1.0", ID: string(c.ID) + "-" + strconv.FormatInt(c.Version, 10), Source: href, Type: typeOf(c),
		Subject: number, Time: c.Time, DataContentType: "application/json",
		Data: beyond.FeedEventData{ID: c.ID, Version: c.Version, PolicyNumber: number, Status: short(c.Status),
			EffectiveDate: c.EffectiveDate, CoverEnds: c.CoverEnds, Href: href},
	}
}

// short returns a text, or nothing if an event has no room for it. Text that JSON would escape takes more room.
func short(text string) string {
	plain := func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) }
	if len(text) > longest || strings.ContainsFunc(text, plain) {
		return ""
	}
	return text
}
