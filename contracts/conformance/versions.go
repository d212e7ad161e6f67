package conformance

import (
	"fmt"
	"net/http"
	"sync"
)

// versionRules are the rules about ETag, If-Match and If-None-Match.
func versionRules() []Rule {
	var rules []Rule
	for _, r := range resources {
		if immutable[r.name] && r.name != "claim" {
			continue
		}
		rules = append(rules, Rule{Name: "PUT /" + r.name + "/{id}: a stale If-Match is 412, the current one is not",
			try: func(p *probe) {
				body, made := p.full(r)
				path := "/" + r.name + "/" + made.text("id")
				seen := p.tag(path)
				change := body.with("x-more", 1)
				p.wants(http.StatusOK, p.put(path, change, "If-Match", seen))
				if p.tag(path) == seen {
					p.fail("the record has changed, its ETag %s has not", seen)
				}
				p.refused(http.StatusPreconditionFailed, "", p.put(path, body.with("x-more", 2), "If-Match", seen))
				p.holds(p.read(path), record{"x-more": 1})
			}})
	}
	rules = append(rules,
		Rule{Name: "If-None-Match compares weakly: what a caller has is 304", try: func(p *probe) {
			path := "/vehicle/" + p.create("vehicle", p.body("vehicle", 0)).text("id")
			tag := p.tag(path)
			for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
				if a := p.get(path, "If-None-Match", known); a.status != http.StatusNotModified || len(a.body) > 0 ||
					a.header.Get("ETag") != tag {
					p.fail("If-None-Match: %s returns %d with the ETag %q", known, a.status, a.header.Get("ETag"))
				}
			}
			p.wants(http.StatusOK, p.get(path, "If-None-Match", `"other"`))
		}},
		Rule{Name: "If-Match compares strongly: a weak tag is 412", try: func(p *probe) {
			body := p.body("vehicle", 0)
			path := "/vehicle/" + p.create("vehicle", body).text("id")
			tag := p.tag(path)
			p.refused(http.StatusPreconditionFailed, "", p.put(path, body.with("x-more", 1), "If-Match", "W/"+tag))
			if p.tag(path) != tag {
				p.fail("the refused replacement changed the ETag from %s to %s", tag, p.tag(path))
			}
			p.wants(http.StatusOK, p.put(path, body, "If-Match", `"other", `+tag))
			p.wants(http.StatusOK, p.put(path, body, "If-Match", "*"))
		}})
	for _, o := range postings() {
		if !isAction(o.name) {
			continue
		}
		rules = append(rules,
			Rule{Name: o.name + ": a stale If-Match is 412, the current one is not", try: func(p *probe) {
				path, body := o.prepare(p)
				p.refused(http.StatusPreconditionFailed, "", p.post(path, body, "If-Match", `"stale-`+p.name+`"`))
				p.wants(o.status, p.post(path, body, "If-Match", p.tag(recordOf(path))))
			}})
	}
	return append(rules, Rule{Name: fmt.Sprintf("of %d replacements with one If-Match at once, one is made", callers),
		try: oneReplacement})
}

// tag returns the ETag of the record at a path.
func (p *probe) tag(path string) string {
	a := p.get(path)
	p.wants(http.StatusOK, a)
	tag := a.header.Get("ETag")
	if tag == "" {
		p.fail("GET %s returns no ETag", path)
	}
	return tag
}

func oneReplacement(p *probe) {
	body := p.body("vehicle", 0)
	path := "/vehicle/" + p.create("vehicle", body).text("id")
	seen := p.tag(path)
	statuses, errs := make([]int, callers), make([]error, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			var a response
			a, errs[i] = p.send(http.MethodPut, path, body.with("x-caller", i), "If-Match", seen)
			statuses[i] = a.status
		})
	}
	group.Wait()
	made := -1
	for i, status := range statuses {
		p.must(errs[i])
		switch {
		case status == http.StatusOK && made < 0:
			made = i
		case status != http.StatusPreconditionFailed:
			p.fail("the replacements return %v", statuses)
		}
	}
	p.holds(p.read(path), record{"x-caller": made})
}
