package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// filterTable is the table of list filters, as the interface writes it. name* finds the records whose name begins
// with the value, regardless of case.
var filterTable = []struct{ resource, filters string }{
	{"motorCoverage", "policyNumber"},
	{"cyberLiabilityCoverage", "policyNumber"},
	{"travelCoverage", "policyNumber"},
	{"propertyCoverage", "policyNumber"},
	{"tradeCreditCoverage", "policyNumber"},
	{"businessInterruptionCoverage", "policyNumber"},
	{"petCoverage", "policyNumber"},
	{"claim", "policyNumber, claimNumber"},
	{"receipt", "policyNumber, claimNumber, receiptType"},
	{"premiumBordereau", "treatyReference"},
	{"claimsBordereau", "treatyReference"},
	{"product", "lineOfBusiness, productModel, currency"},
	{"insuranceEntity", "name*, registrationNumber"},
	{"personal", "firstName*, lastName*, idType, idNumber"},
	{"commercial", "name*, registrationNumber"},
}

func listRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, r := range resources {
		add("GET /"+r.name+": a list in order of creation", func(p *probe) { inOrder(p, r) })
		add("GET /"+r.name+": an unknown or malformed parameter is 400", func(p *probe) {
			p.refusedQuery("/"+r.name+"?colour=blue", "/"+r.name+"?limit=ten", "/"+r.name+"?limit=1&limit=2",
				"/"+r.name+"?cursor=")
		})
		if !slices.ContainsFunc(filterTable, func(row struct{ resource, filters string }) bool {
			return row.resource == r.name
		}) {
			add("GET /"+r.name+": no filter is stated, so its fields are unknown parameters", func(p *probe) {
				p.refusedQuery("/" + r.name + "?" + r.fields[0].name + "=x")
			})
		}
	}
	for _, row := range filterTable {
		for filter := range strings.SplitSeq(row.filters, ", ") {
			name, searched := strings.CutSuffix(filter, "*")
			add("GET /"+row.resource+"?"+name+"= returns the records that have it", func(p *probe) {
				filters(p, row.resource, name)
			})
			if searched {
				add("GET /"+row.resource+"?"+name+"= finds what begins with it, in any case", func(p *probe) {
					searches(p, row.resource, name)
				})
			}
		}
		if strings.Contains(row.filters, ", ") {
			add("GET /"+row.resource+": filters together return the records that have all", func(p *probe) {
				combines(p, row.resource, row.filters)
			})
		}
	}
	add("GET /receipt?receiptDateFrom=&receiptDateTo=: a range, both ends inclusive", receiptDates)
	add("GET /receipt: a receiptDate that is no day is 400", func(p *probe) {
		p.refusedQuery("/receipt?receiptDateFrom=2026-02-30", "/receipt?receiptDateTo=yesterday")
	})
	add("limit is 1 to 200", func(p *probe) {
		p.refusedQuery("/vehicle?limit=0", "/vehicle?limit=201", "/vehicle?limit=-1", "/vehicle?limit=1.5",
			"/vehicle?limit=")
		p.id("vehicle")
		if n := len(p.list("/vehicle?limit=1")); n != 1 {
			p.fail("limit=1 returns %d records", n)
		}
		p.list("/vehicle?limit=200")
	})
	add("a page has 50 records where no limit is given, and a link to the next", fifty)
	add("the links go through the whole list, each record once, in order", linked)
	add("a list that nothing matches is empty", func(p *probe) {
		a := p.get("/claimsBordereau?treatyReference=" + p.fresh("none"))
		if all, err := a.records(); err != nil || len(all) > 0 || strings.TrimSpace(string(a.body)) != "[]" {
			p.fail("the response is %s", cut(string(a.body), responseShown))
		}
	})
	add("GET /productCatalog: the 65 lines of business, codes 1 to 65", catalogue)
	return rules
}

// inOrder creates records and looks for them after those that the list had before.
func inOrder(p *probe, r resource) {
	before := p.length("/" + r.name)
	var want []string
	for range 3 {
		_, got := p.full(r)
		want = append(want, got.text("id"))
	}
	var got []string
	for _, listed := range p.since("/"+r.name, before) {
		if id := listed.text("id"); slices.Contains(want, id) {
			got = append(got, id)
		}
	}
	if !slices.Equal(got, want) {
		p.fail("%v were created in this order, the list has %v", want, got)
	}
}

// filters creates a record with a value and one with another value. The filtered list must have only the first.
func filters(p *probe, resource, name string) {
	in, out := distinct(p, resource, name)
	p.finds(resource, url.Values{name: {in.text(name)}}, in, out)
}

// distinct creates two records that differ in a member.
func distinct(p *probe, resource, name string) (in, out record) {
	if name == "claimNumber" && resource == "receipt" {
		one, other := p.claim(), p.claim()
		body := p.body(resource, 0)
		return p.create(resource, body.with(name, one[name])), p.create(resource, body.with(name, other[name]))
	}
	if name == "policyNumber" && !isCoverage(resource) {
		policy := p.policy("motorCoverage", 265)
		return p.create(resource, p.body(resource, 0).with(name, policy[name])), p.create(resource, p.body(resource, 1))
	}
	return p.create(resource, p.body(resource, 0)), p.create(resource, p.body(resource, 1))
}

// finds fails the rule unless a list with a query has the record in, and neither the record out nor others that do
// not match.
func (p *probe) finds(resource string, query url.Values, in, out record) {
	path := "/" + resource + "?" + query.Encode()
	// Records of earlier runs may have the same value. The records of this rule are near the end.
	const near = 400
	var ids []string
	for _, listed := range p.since(path, max(0, p.length(path)-near)) {
		ids = append(ids, listed.text("id"))
		for name := range query {
			if listed.text(name) != in.text(name) {
				p.fail("GET %s returns a record whose %s is %q", path, name, listed.text(name))
			}
		}
	}
	if !slices.Contains(ids, in.text("id")) {
		p.fail("GET %s lacks %s, which has the value", path, in.text("id"))
	}
	if slices.Contains(ids, out.text("id")) {
		p.fail("GET %s returns %s, which has another value", path, out.text("id"))
	}
}

func searches(p *probe, resource, name string) {
	value := "Ångström " + p.fresh("search")
	found := p.create(resource, p.body(resource, 0).with(name, value)).text("id")
	begin := []rune(value)[:len([]rune(value))-1]
	for _, c := range []struct {
		search string
		finds  bool
	}{
		{value, true}, {string(begin), true}, {strings.ToUpper(value), true}, {strings.ToLower(string(begin)), true},
		{value[len("Å"):], false}, {value + "x", false}, {"%", false},
	} {
		all := p.along("/" + resource + "?limit=200&" + name + "=" + url.QueryEscape(c.search))
		has := slices.ContainsFunc(all, func(r record) bool { return r.text("id") == found })
		if has != c.finds {
			p.fail("%s is %q; a search for %q finds it: %v", name, value, c.search, has)
		}
	}
}

// combines asks for a record by all filters at once, and then with one value that the record does not have.
func combines(p *probe, resource, filters string) {
	body := p.body(resource, 0)
	if strings.Contains(filters, "claimNumber") && resource == "receipt" {
		body["claimNumber"] = p.claim()["claimNumber"]
	}
	in, out := p.create(resource, body), p.create(resource, p.body(resource, 1))
	query := url.Values{}
	for filter := range strings.SplitSeq(filters, ", ") {
		name := strings.TrimSuffix(filter, "*")
		query.Set(name, in.text(name))
	}
	p.finds(resource, query, in, out)
	last := strings.TrimSuffix(filters[strings.LastIndex(filters, " ")+1:], "*")
	query.Set(last, out.text(last))
	path := "/" + resource + "?" + query.Encode()
	if slices.ContainsFunc(p.along(path), func(r record) bool { return r["id"] == in["id"] }) {
		p.fail("GET %s returns a record that has another %s", path, last)
	}
}

func receiptDates(p *probe) {
	policy := p.policy("motorCoverage", 265)
	days := []string{"2026-03-01", "2026-03-02", "2026-03-31", "2026-04-01"}
	for _, day := range days {
		p.create("receipt", p.body("receipt", 0).with("policyNumber", policy["policyNumber"], "receiptDate", day))
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"receiptDateFrom=2026-03-02", days[1:]}, {"receiptDateTo=2026-03-31", days[:3]},
		{"receiptDateFrom=2026-03-02&receiptDateTo=2026-03-31", days[1:3]}, {"receiptDateFrom=2026-04-02", nil},
	} {
		var got []string
		for _, r := range p.along("/receipt?policyNumber=" + url.QueryEscape(policy.text("policyNumber")) +
			"&" + c.query) {
			got = append(got, r.text("receiptDate"))
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			p.fail("%s returns %v, not %v", c.query, got, c.want)
		}
	}
}

// treaty creates rows of the claims bordereau under a new treaty, one after the other.
func (p *probe) treaty(rows int) (path string, ids []string) {
	treaty := p.fresh("treaty")
	for range rows {
		ids = append(ids, p.create("claimsBordereau", record{"treatyReference": treaty}).text("id"))
	}
	return "/claimsBordereau?treatyReference=" + treaty, ids
}

func idsOf(records []record) []string {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.text("id")
	}
	return ids
}

func fifty(p *probe) {
	path, ids := p.treaty(51)
	var next string
	// Writes under way may hold a page back, which is shorter then: it is asked for again.
	p.eventually(func() error {
		a := p.get(path)
		page, err := a.records()
		p.must(err)
		if got := idsOf(page); len(got) > 50 || !slices.Equal(got, ids[:len(got)]) {
			p.fail("the page has %d records, which are not the first 50 of 51 in order", len(got))
		}
		if next = p.next(a); next == "" {
			p.fail("the response has no link to the next page: %q", a.header.Get("Link"))
		}
		if len(page) < 50 {
			return fmt.Errorf("the page has %d records, not 50", len(page))
		}
		return nil
	})
	if got := idsOf(p.along(next)); !slices.Equal(got, ids[50:]) {
		p.fail("the next pages have %v, not the last of 51 records, %v", got, ids[50:])
	}
}

func linked(p *probe) {
	path, ids := p.treaty(7)
	for _, limit := range []int{1, 2, 3, 7, 8} {
		if got := idsOf(p.along(fmt.Sprintf("%s&limit=%d", path, limit))); !slices.Equal(got, ids) {
			p.fail("in pages of %d the list has %v, not %v", limit, got, ids)
		}
	}
	if got := idsOf(p.along(path + "&skip=5")); !slices.Equal(got, ids[5:]) {
		p.fail("skip=5 returns %v, not %v", got, ids[5:])
	}
	a := p.get(path + "&limit=3")
	if next := p.next(a); !strings.Contains(next, strings.TrimPrefix(path, "/claimsBordereau?")) {
		p.fail("the link %q does not keep the filter", a.header.Get("Link"))
	}
}

func catalogue(p *probe) {
	want := valueSets["productCatalog"]
	all := p.along("/productCatalog")
	if len(all) != len(want) {
		p.fail("the catalogue has %d lines, not %d", len(all), len(want))
	}
	for i, description := range want {
		p.holds(all[i], record{"code": i + 1, "description": description})
	}
}

// webhookURLs tries what is refused whatever the settings are. What is delivered is not tried: an implementation may
// not reach the program.
func webhookURLs(p *probe) {
	if all := p.get("/x/webhook"); all.status == http.StatusNotFound {
		p.skip("the implementation has no webhooks")
	}
	path := "/x/webhook/" + url.PathEscape(p.fresh("hook"))
	for _, wrong := range []string{
		"", "example.com", "ftp://example.com/", "https://user:word@example.com/", "https://example.com/#here",
		"https://example.com:0/", "https://example.com/" + strings.Repeat("x", 2000),
	} {
		p.refused(http.StatusBadRequest, "", p.put(path, record{"url": wrong}))
	}
	good := record{"url": "https://example.com/"}
	p.refused(http.StatusBadRequest, "", p.put(path, good.with("types", []string{unknownValue})))
	p.refused(http.StatusBadRequest, "", p.put(path, good.with("from", unknownValue)))
	p.refused(http.StatusNotFound, "", p.get(path))
	p.refused(http.StatusNotFound, "", p.get(path+"/deliveries"))
	p.refused(http.StatusNotFound, "", p.post(path+":resume", nil))
}

// bookRefuses sends the lists and the summary of the book conditions that they cannot have.
func bookRefuses(p *probe) {
	const lists, summary = "/x/book/", "/x/book/summary"
	for path, wrong := range map[string][]string{
		lists + "policies": {"lossRatioFrom=high", "inceptionDateTo=2026-02-30", "endedEmpty=true", "from=2026-13",
			"find=a-1"},
		lists + "claims":    {"lineFrom=a", "fnol=yesterday", "reserveBegins=1", "causeEmpty=yes", "find=a-1"},
		lists + "movements": {"amount=1e5", "from=2026-01", "find=abc"},
	} {
		if a := p.get(path + "?limit=1"); a.status == http.StatusNotFound {
			p.skip("the implementation has no book")
		} else if got := p.wants(http.StatusOK, a); !stamped(got.text("asOf")) {
			p.fail("%s is not as of an instant: %s", path, a.body)
		}
		for _, wrong := range append(wrong, "colour=blue", "limit=0", "limit=201", "sort=colour", "cursor=AAAA") {
			p.refusedQuery(path + "?" + wrong)
		}
	}
	if got := p.wants(http.StatusOK, p.get(summary+"?by=line,year")); !stamped(got.text("asOf")) {
		p.fail("the summary is not as of an instant: %v", got)
	}
	p.refusedQuery(summary+"?by=colour", summary+"?by=line,line", summary+"?by=line,year,cause",
		summary+"?month=2026-01",
		summary+"?from=2026", summary+"?to=2026-13", summary+"?limit=1")
}

func keptViews(p *probe) {
	path := "/x/view/" + p.name
	view := record{"list": "policies", "query": "line=motorCoverage&sort=-open"}
	a := p.put(path, view)
	if a.status == http.StatusNotFound {
		p.skip("the implementation keeps no views")
	}
	if got := p.wants(http.StatusOK, a); got.text("rows") != "/x/book/policies?line=motorCoverage&sort=-open" {
		p.fail("the view shows %v", got)
	}
	p.refused(http.StatusBadRequest, "", p.put(path, record{"list": "colours"}))
	p.refused(http.StatusBadRequest, "", p.put(path, record{"list": "claims", "query": "cursor=a"}))
	p.refused(http.StatusBadRequest, "", p.put(path+":of", view))
	if !slices.ContainsFunc(p.read("/x/view").list("views"), func(one any) bool {
		return record(one.(map[string]any)).text("name") == p.name
	}) {
		p.fail("the list of views has no %s", p.name)
	}
	p.wants(http.StatusOK, p.do(http.MethodDelete, path, nil))
	p.refused(http.StatusNotFound, "", p.get(path))
	p.refused(http.StatusNotFound, "", p.do(http.MethodDelete, path, nil))
}
