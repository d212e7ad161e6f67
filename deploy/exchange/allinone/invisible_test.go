package allinone

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/number"
)

// operation is a method of a path of the OpenAPI document, with the names of the parameters of its query and the types
// of the problems that it may return.
type operation struct {
	method, path      string
	queries, problems []string
}

// operationsOfTheDocument returns all of them, in order.
func operationsOfTheDocument(t *testing.T) []operation {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []parameter
			Problems   []string `json:"x-problems"`
		} `json:"paths"`
		Components struct{ Parameters map[string]parameter }
	}
	if err := json.Unmarshal(openapi.Published(), &document); err != nil {
		t.Fatal(err)
	}
	var all []operation
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			is := document.Paths[path][method]
			var queries []string
			for _, p := range is.Parameters {
				if name, refers := strings.CutPrefix(p.Ref, "#/components/parameters/"); refers {
					p = document.Components.Parameters[name]
				}
				if p.In == "query" {
					queries = append(queries, p.Name)
				}
			}
			if method = strings.ToUpper(method); slices.Contains(methods, method) {
				all = append(all, operation{method, path, queries, is.Problems})
			}
			if method == http.MethodGet {
				all = append(all, operation{http.MethodHead, path, queries, is.Problems})
			}
		}
	}
	return all
}

// parameter is a parameter of an operation, or refers to one that several have.
type parameter struct {
	Ref      string `json:"$ref"`
	In, Name string
}

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}

// everybodyReads are the resources that belong to one organisation and are read by all.
var everybodyReads = regexp.MustCompile(`/(product|policyWording)(/|$)`)

// TestWhatIsAnothersIsUnknown makes every request of the OpenAPI document about what another organisation has, and
// about what nobody has: the responses are the same, byte for byte. Nothing that the other one was issued is in any
// response, but for what everybody reads.
func TestWhatIsAnothersIsUnknown(t *testing.T) {
	t.Run("with an owner", func(t *testing.T) { anothersIsUnknown(t, runShared(t), true, sharedWithAnother) })
	// Where one of them owns what has no owner, few headers are tried, because they are judged after the record is
	// found, and no id of another resource, because it is not found whoever owns it.
	for name, owner := range map[string]string{"of the usual owner": "acme", "for the usual owner": "zenith"} {
		t.Run(name, func(t *testing.T) {
			anothersIsUnknown(t, runShared(t, "--org-default", owner), false, sharedBefore)
		})
	}
}

// The access lists that every policy of the other organisation has had, one after the other: it is shared with others
// than the caller, or was shared with the caller.
var (
	sharedWithAnother = []string{participants("orion:read,claims,premium")}
	sharedBefore      = []string{participants("zenith:read,claims,premium", "orion:read"), participants("orion:read")}
)

func anothersIsUnknown(t *testing.T, s *shared, thorough bool, lists []string) {
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	acme, zenith := s.as("acme"), s.as("zenith")
	foreign := acme.writeExamples(all)
	for _, e := range all {
		if _, path, _ := strings.Cut(e.Operation, " "); everybodyReads.MatchString(path) {
			delete(foreign, e.Issues["id"].(string))
		}
	}
	foreign[contractExample] = "THEIRS-26"
	acme.putContract(foreign[contractExample])
	zenith.putContract(ownContract)
	for example, number := range foreign {
		for _, list := range lists {
			if strings.HasPrefix(example, "POL") {
				acme.want(200, "PUT", "/x/access/"+number, list)
			}
		}
	}
	random := unlike(foreign)
	random[contractExample] = "NOBODY-26" // as long as the other
	trial := &comparison{t: t, by: zenith, foreign: foreign, random: random, thorough: thorough}
	for _, o := range chance.Sample(operationsOfTheDocument(t), 8) {
		// After few requests a page of the feed has what the caller itself has sent, the names of others among it.
		if everybodyReads.MatchString(o.path) || o.path == "/x/events" && !thorough {
			continue
		}
		trial.compareAll(o, all)
	}
	if trial.compared < chance.Fewer(1000, 20) {
		t.Errorf("only %d pairs were compared", trial.compared)
	}
	if trial.queried < chance.Fewer(500, 20) {
		t.Errorf("only %d pairs have a parameter of the query", trial.queried)
	}
	zenith.writeExamples(all) // with the identity numbers that the other organisation has
	for example, id := range foreign {
		if strings.HasPrefix(example, "0195a000") || example == contractExample {
			continue
		}
		if got := acme.send("GET", "/x/policy/"+id, "", nil); strings.HasPrefix(example, "POL") && got.status != 200 {
			t.Errorf("the owner itself does not see %s: %d %s", id, got.status, got.body)
		}
	}
}

// unlike returns names of the same form as those that were issued, which nobody was issued.
func unlike(issued issuance) issuance {
	other := issuance{}
	for example, value := range issued {
		if _, err := uuid.Parse(value); err == nil {
			other[example] = value[:24] + uuid.NewString()[24:]
			continue
		}
		prefix, _, _ := strings.Cut(value, "-")
		other[example] = number.Of(prefix, uuid.New())
	}
	return other
}

// comparison compares the responses to requests about what another organisation has with those about what nobody has.
type comparison struct {
	t               *testing.T
	by              *member
	foreign, random issuance
	thorough        bool // with all conditions, and about ids of other resources
	compared        int
	queried         int // of these, with a parameter of the query
	parties         int
}

// conditions are the headers that a request may have. {key} stands for a new key.
var conditions = []map[string]string{
	nil, {"If-Match": `"1"`}, {"If-Match": `"7"`}, {"If-Match": "*"}, {"If-None-Match": `"1"`}, {"If-None-Match": "*"},
	{"Idempotency-Key": "{key}"}, {"Prefer": "handling=strict"},
}

// compareAll compares the requests of one operation, about each name that it can be about: with every body and every
// condition about a record of its own resource, with few about an id of another resource. A comparison that is not
// thorough leaves out most conditions, and the ids of other resources.
func (c *comparison) compareAll(o operation, all []examples.Example) {
	c.compareQueries(o)
	bodies, tried := c.bodies(o, all), conditions
	if !c.thorough {
		tried = conditions[:2]
	}
	for _, path := range c.paths(o.path) {
		if c.ofAnotherResource(o.path, path, all) {
			if c.thorough {
				c.compare(o.method, path, bodies[len(bodies)-1], nil)
				c.compare(o.method, path, bodies[0], map[string]string{"If-Match": `"1"`})
			}
			continue
		}
		for _, body := range bodies {
			for _, headers := range tried {
				c.compare(o.method, path, body, headers)
			}
		}
	}
}

// takesIDs matches the parameters that take the id of a record.
var takesIDs = regexp.MustCompile(`(Ids?|Ref)$`)

// compareQueries asks with each parameter of the query in turn, about a name of each sort, and
// about every id where it takes one.
func (c *comparison) compareQueries(o operation) {
	if o.method != http.MethodGet {
		return
	}
	paths := c.paths(o.path)
	path, _, _ := strings.Cut(paths[len(paths)-1], "?")
	for _, name := range o.queries {
		if name == "after" {
			continue // of two names that nobody has, the pages after them differ as well
		}
		tried := map[string]bool{}
		for _, example := range slices.Sorted(maps.Keys(c.foreign)) {
			sort := example[:3] // all ids begin alike, and all numbers of a sort
			if tried[sort] && !takesIDs.MatchString(name) {
				continue
			}
			tried[sort] = true
			c.compare(o.method, path+"?"+name+"="+example, "", nil)
			c.queried++
		}
	}
}

// ofAnotherResource reports whether a path names an id that examples of another resource were issued.
func (c *comparison) ofAnotherResource(template, path string, all []examples.Example) bool {
	before, _, takesID := strings.Cut(template, "/{id}")
	if !takesID {
		return false
	}
	resource := "/" + before[strings.LastIndexByte(before, '/')+1:]
	for _, e := range all {
		_, creation, _ := strings.Cut(e.Operation, " ")
		id, _ := e.Issues["id"].(string)
		if creation == resource && id != "" && strings.Contains(path, id) {
			return false
		}
	}
	return true
}

// paths returns the paths of a template, with the names of examples in them. A list is asked for each of its names.
func (c *comparison) paths(template string) []string {
	var ids, numbers, claims []string
	for _, example := range slices.Sorted(maps.Keys(c.foreign)) {
		switch {
		case example == contractExample:
		case strings.HasPrefix(example, "POL"):
			numbers = append(numbers, example)
		case strings.HasPrefix(example, "CLM"):
			claims = append(claims, example)
		default:
			ids = append(ids, example)
		}
	}
	template = ofBordereaux.Replace(template)
	switch {
	case strings.Contains(template, "{contract}/policy/{policyNumber}"):
		return replaced(strings.ReplaceAll(template, "{contract}", ownContract), "{policyNumber}", numbers[:2])
	case strings.Contains(template, "{contract}"):
		return []string{strings.ReplaceAll(template, "{contract}", contractExample)}
	case strings.Contains(template, "{id}"):
		return replaced(template, "{id}", ids)
	case strings.Contains(template, "{policyNumber}"):
		return replaced(template, "{policyNumber}", numbers[:2])
	case strings.Contains(template, "{name}"):
		return []string{strings.ReplaceAll(template, "{name}", "erp")}
	default:
		return append([]string{template, template + "?claimNumber=" + claims[0]},
			replaced(template+"?policyNumber={policyNumber}", "{policyNumber}", numbers[:2])...)
	}
}

// The contract that stands for the other organisation's in paths, and the caller's own.
const (
	contractExample = "CONTRACT-OF-ANOTHER"
	ownContract     = "OWN-26"
)

// ofBordereaux puts names into a template that say nothing about organisations.
var ofBordereaux = strings.NewReplacer("{kind}", "premium", "{period}", "2026-01", "{number}", "1", "{finding}", "f")

// putContract makes a contract of the caller's organisation, under which all motor policies of its own are reported.
func (m *member) putContract(reference string) {
	body := `{"uniqueMarketReference":"B1","coverholderName":"A","inception":"2000-01-01","expiry":"2100-01-01",` +
		`"lines":["motorCoverage"],"currency":"EUR","amountUnit":"major","frequency":"month","firstPeriod":"2026-01"}`
	if got := m.send("PUT", "/x/contract/"+reference, body, nil); got.status != http.StatusOK {
		m.t.Fatalf("contract %s: %d %s", reference, got.status, got.body)
	}
}

func replaced(template, parameter string, by []string) []string {
	var all []string
	for _, name := range by {
		all = append(all, strings.ReplaceAll(template, parameter, name))
	}
	return all
}

// bodies returns the bodies of an operation: those of the examples, one without members and one that is broken.
func (c *comparison) bodies(o operation, all []examples.Example) []string {
	if o.method == http.MethodGet || o.method == http.MethodHead || o.method == http.MethodDelete {
		return []string{""}
	}
	bodies := []string{"{}", `{"id":`, `{"organisation":"acme","owner":"acme","orgs":["acme"]}`}
	if strings.HasPrefix(o.path, "/x/access/") {
		bodies = append(bodies, participants("orion:read"))
	}
	base, _, _ := strings.Cut(o.path, "/{")
	for _, e := range all {
		method, path, _ := strings.Cut(e.Operation, " ")
		same := method+" "+path == o.method+" "+o.path
		if same || o.method == http.MethodPut && method == http.MethodPost && path == base {
			text, err := json.Marshal(e.Body)
			if err != nil {
				c.t.Fatal(err)
			}
			bodies = append(bodies, string(text))
		}
	}
	return bodies
}

// compare makes two requests that differ in the names alone, and reports responses that differ in more.
func (c *comparison) compare(method, path, body string, headers map[string]string) {
	ask := func(about issuance) answer {
		sent := maps.Clone(headers)
		if sent["Idempotency-Key"] != "" {
			sent["Idempotency-Key"] = uuid.NewString()
		}
		// A party has an identity number that no other one of its organisation has.
		c.parties++
		own := strings.ReplaceAll(about.in(body), "X1234567", fmt.Sprintf("Y%07d", c.parties))
		got := c.by.send(method, about.in(path), own, sent)
		got.body = identity.ReplaceAllString(got.body, "X1234567")
		for example, issued := range about {
			got.body = strings.ReplaceAll(got.body, issued, example)
			for _, values := range got.header {
				for i := range values {
					values[i] = strings.ReplaceAll(values[i], issued, example)
				}
			}
		}
		got.body = passing.ReplaceAllString(got.body, "")
		got.header.Del("Date")
		got.header.Del("X-Request-Id")
		for _, name := range []string{"Location", "Link"} {
			if got.header.Get(name) != "" {
				got.header.Set(name, "there is one") // it names what was made, or has a cursor
			}
		}
		if got.body != "" || path == "/x/about" || strings.HasPrefix(path, "/x/events") {
			got.header.Del("Content-Length") // it follows from the body, and so from the instants there
		}
		return got
	}
	request := fmt.Sprintf("%s %s %v %.300s", method, path, headers, body)
	of, no := ask(c.foreign), ask(c.random)
	c.compared++
	// What the caller itself has written reaches the feed a little later, maybe between two requests.
	for tries := 0; strings.HasPrefix(path, "/x/events") && of.body != no.body && tries < 20; tries++ {
		of, no = ask(c.foreign), ask(c.random)
	}
	if of.status >= 500 {
		c.t.Errorf("%s: %d %.300s", request, of.status, of.body)
	}
	for example := range c.foreign {
		if strings.Contains(of.body, example) && !strings.Contains(path+body, example) {
			c.t.Errorf("%s: %s of another organisation is in %.600s", request, example, of.body)
		}
	}
	if of.status != no.status || of.body != no.body || !maps.EqualFunc(of.header, no.header, slices.Equal) {
		c.t.Errorf("%s:\n\tanother's: %d %v %.600s\n\tnobody's:  %d %v %.600s", request, of.status, of.header, of.body,
			no.status, no.header, no.body)
	}
}

// identity matches the identity number of a party.
var identity = regexp.MustCompile(`Y\d{7}`)

// passing matches what differs between any two responses.
var passing = regexp.MustCompile(`"(instance|id|receiptId|policyNumber|claimNumber|recordedAt|inceptionDate|fnol|` +
	`next|now|watermark|asOf)":"[^"]*"`)
