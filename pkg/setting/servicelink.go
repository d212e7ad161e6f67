package setting

import (
	"net/netip"
	"regexp"
)

// isServiceLink reports whether an environment variable, given without the prefix of settings, was not set by a person
// but made from the name of a service called "exchange" or "exchange-...". Kubernetes makes such variables for every
// Service of a namespace, and container links make them for a container. Both the name and the value must have the form
// of a link: EXCHANGE_PORT=tcp://10.0.0.1:80 is one, EXCHANGE_PORT=8080 is a mistake that is reported. Nothing else in
// the environment is considered, because a process may be started with a part of its container's environment only.
func isServiceLink(name, value string) bool {
	for form, holds := range linkForms {
		if form.MatchString(name) && holds(value) {
			return true
		}
	}
	return false
}

// linkForms are the forms of names of links, and what their values are.
var linkForms = map[*regexp.Regexp]func(value string) bool{
	regexp.MustCompile(`^(.+_)?(SERVICE_HOST|PORT_\d+_(TCP|UDP|SCTP)_ADDR)$`): isAddress,
	regexp.MustCompile(`^(.+_)?(SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)_PORT)$`): regexp.MustCompile(`^\d+$`).
		MatchString,
	regexp.MustCompile(`^(.+_)?PORT(_\d+_(TCP|UDP|SCTP))?$`):    regexp.MustCompile(`^(tcp|udp|sctp)://`).MatchString,
	regexp.MustCompile(`^(.+_)?PORT_\d+_(TCP|UDP|SCTP)_PROTO$`): regexp.MustCompile(`^(tcp|udp|sctp)$`).MatchString,
	// A container's link also carries the names of both containers, as /web/exchange, and the linked one's environment.
	regexp.MustCompile(`^(.+_)?NAME$`):   regexp.MustCompile(`^/[^/]+/[^/]+$`).MatchString,
	regexp.MustCompile(`^(.+_)?ENV_.+$`): func(string) bool { return true },
}

func isAddress(value string) bool {
	_, err := netip.ParseAddr(value)
	return err == nil
}
