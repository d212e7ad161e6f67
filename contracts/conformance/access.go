package conformance

import (
	"net/http"
	"slices"
	"strings"
)

// operation is a method and a path of the interface. {id} is a placeholder for an id.
type operation struct{ method, path string }

func (o operation) reads() bool { return o.method == http.MethodGet }

// operations are all that the interface has.
func operations() []operation {
	var all []operation
	for _, r := range resources {
		all = append(all, operation{http.MethodGet, "/" + r.name}, operation{http.MethodGet, "/" + r.name + "/{id}"},
			operation{http.MethodPost, "/" + r.name})
		if r.name != "claimsBordereau" {
			all = append(all, operation{http.MethodPut, "/" + r.name + "/{id}"})
		}
	}
	all = append(all, operation{http.MethodGet, "/productCatalog"})
	for _, o := range postings() {
		if path := strings.TrimPrefix(o.name, "POST "); isAction(o.name) {
			all = append(all, operation{http.MethodPost, path})
		}
	}
	return all
}

func isAction(name string) bool { return strings.Contains(name, "{id}") }

// recordOf returns the path of the record that an action is on.
func recordOf(path string) string {
	if at := strings.LastIndex(path, ":"); at >= 0 {
		return path[:at]
	}
	return strings.TrimSuffix(path, "/documents")
}

// accessRules are the rules about scopes, and about paths and methods that do not exist.
func accessRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, o := range operations() {
		path := strings.ReplaceAll(o.path, "{id}", unknownIDs[0])
		add(o.method+" "+o.path+" without a token is 401", func(p *probe) {
			for _, authorization := range []string{none, "Bearer none", "Basic dGVzdGVyOnRlc3Rlcg=="} {
				p.challenged(p.do(o.method, path, o.body(), "Authorization", authorization))
			}
		})
		add(o.method+" "+o.path+" with the other scope alone is 401", func(p *probe) { wrongScope(p, o, path) })
	}
	for _, o := range []struct{ method, path, allow string }{
		{http.MethodDelete, "/vehicle", "GET, POST"}, {http.MethodPut, "/vehicle", "GET, POST"},
		{http.MethodDelete, "/vehicle/{id}", "GET, PUT"},
		{http.MethodPatch, "/motorCoverage/{id}", "GET, PUT"}, {http.MethodPost, "/vehicle/{id}", "GET, PUT"},
		{http.MethodPost, "/productCatalog", "GET"},
		{http.MethodGet, "/motorCoverage/{id}:cancel", "POST"}, {http.MethodPut, "/claim/{id}:settle", "POST"},
		{http.MethodGet, "/claim/{id}/documents", "POST"},
		{http.MethodPut, "/claimsBordereau/{id}", "GET"}, {http.MethodDelete, "/receipt/{id}", "GET, PUT"},
	} {
		add(o.method+" "+o.path+" is 405 with Allow: "+o.allow, func(p *probe) {
			a := p.do(o.method, strings.ReplaceAll(o.path, "{id}", unknownIDs[0]), nil)
			p.refused(http.StatusMethodNotAllowed, "", a)
			allowed := strings.Split(strings.ReplaceAll(a.header.Get("Allow"), " ", ""), ",")
			allowed = slices.DeleteFunc(allowed, func(m string) bool {
				return m == http.MethodHead || m == http.MethodOptions
			})
			if slices.Sort(allowed); strings.Join(allowed, ", ") != o.allow {
				p.fail("Allow is %q", a.header.Get("Allow"))
			}
		})
	}
	for _, path := range []string{
		"/boat", "/address", "/Vehicle", "/vehicle/{id}/wheels", "/motorCoverage/{id}:explode",
		"/motorCoverage/{id}:settle", "/motorCoverage/{id}/endorse",
		"/travelCoverage/{id}:renew", "/vehicle/", "/claim/{id}/documents/1",
		"/businessInterruptionCoverage/{id}/property", "/productCatalog/1", "/claim/{id}:lapse",
		"/motorCoverage/{id}:lapse",
		"/vehicle%2F{id}", "/claim/{id}%2Fdocuments", "/vehicle/{id}%2F",
	} {
		add(path+" is an unknown path (404), with a token or without", func(p *probe) {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				at := strings.ReplaceAll(path, "{id}", unknownIDs[0])
				p.refused(http.StatusNotFound, "", p.do(method, at, nil))
				p.refused(http.StatusNotFound, "", p.do(method, at, nil, "Authorization", none))
			}
		})
	}
	return rules
}

// body returns the body of an operation whose access is tried. It has nothing that could be wrong.
func (o operation) body() any {
	if o.reads() {
		return nil
	}
	return record{}
}

// challenged fails the rule unless a response is 401 with a challenge (RFC 6750).
func (p *probe) challenged(a response) {
	p.refused(http.StatusUnauthorized, "", a)
	if challenge := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge, "Bearer") {
		p.fail("WWW-Authenticate is %q", challenge)
	}
}

func wrongScope(p *probe, o operation, path string) {
	token := p.DeveloperToken
	switch {
	case p.AdminToken == p.DeveloperToken:
		p.skip("the token has both scopes: give --admin-token and --developer-token")
	case o.reads() && p.AdminReads:
		p.skip("the implementation is said to be configured to let std.admin read")
	case o.reads():
		token = p.AdminToken
	}
	a := p.do(o.method, path, o.body(), "Authorization", "Bearer "+token)
	p.challenged(a)
	if challenge := a.header.Get("WWW-Authenticate"); !strings.Contains(challenge, "insufficient_scope") {
		p.fail("WWW-Authenticate is %q, which does not say insufficient_scope", challenge)
	}
}
