//go:build !noconsole

package console_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
)

var (
	joined  = regexp.MustCompile(`'\s*\+ '`)
	entry   = regexp.MustCompile(`(?:'((?:[^'\\]|\\.)*)'\]?|\b(\w+)): *\n? *'((?:[^'\\]|\\.)*)'`)
	literal = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'`)
)

// wordsOf returns the words of files of the page by their names. One that stands twice in a file is a fault.
func wordsOf(t *testing.T, files ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile("page/" + file)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, found := range entry.FindAllStringSubmatch(joined.ReplaceAllString(string(text), ""), -1) {
			name := strings.ReplaceAll(found[1]+found[2], `\'`, "'")
			if seen[name] && file != "en.js" {
				t.Errorf("%s has %q twice", file, name)
			}
			seen[name] = true
			all[name] = found[3]
		}
	}
	return all
}

// described is the interface document.
type described struct {
	Paths      map[string]map[string]any
	Components struct {
		Schemas    map[string]any
		Parameters map[string]any
	}
}

func document(t *testing.T) (d described) {
	t.Helper()
	if err := json.Unmarshal(openapi.Published(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// unshown are the schemas of which no screen shows a member.
var unshown = []string{
	"About", "AboutBounds", "AboutService", "AboutSetting", "BatchDone", "BatchInput", "BatchOperation", "BatchResult",
	"BordereauFindings", "BordereauLines", "BordereauLive", "BordereauWork", "Clock", "ClockMoveInput", "ContractList",
	"Entry", "FeedEvent", "FeedEventData", "FeedPage", "FileTrialRow", "History", "Outcome", "PolicyView", "Problem",
	"Access", "RunItem", "SearchField", "SearchTable", "SearchedResource", "SourceClaim", "Verdict", "ViewedPart",
	"ViewedRecord", "Violation", "Warning", "WorkUnderWay", "productCatalogEntry",
}

// TestWords checks that every text of the console is there in English and in German, and that each member of a record,
// and of what else a screen shows, has a name in German.
func TestWords(t *testing.T) {
	german := wordsOf(t, "de.js", "de-members.js")
	for word := range wordsOf(t, "en.js") {
		if german[word] == "" && !slices.Contains(slices.Collect(maps.Keys(corrections())), word) {
			t.Errorf("de.js lacks %q", word)
		}
	}
	members := map[string]bool{}
	for name, schema := range document(t).Components.Schemas {
		properties, _ := schema.(map[string]any)["properties"].(map[string]any)
		for member, of := range properties {
			if !strings.Contains(fmt.Sprint(of), "Another name of") && !slices.Contains(unshown, name) {
				members[member] = true
			}
		}
	}
	if len(members) < 250 {
		t.Errorf("only %d members", len(members))
	}
	named := wordsOf(t, "de-members.js")
	for member := range members {
		if named[member] == "" && member != "next" { // the next page
			t.Errorf("de-members.js lacks %s", member)
		}
	}
}

// corrections are the values that are misspelt as they are published, with the right spelling.
func corrections() map[string]string {
	all, sets := map[string]string{}, valuesets.Published()
	for _, set := range sets.Names() {
		for _, accepted := range sets.Accepted(set) {
			if stored, _ := sets.Lookup(set, accepted); stored != accepted {
				all[stored] = accepted
			}
		}
	}
	return all
}

// TestValuesAreGerman checks that the page shows each value of the value sets in German, and those that are misspelt as
// they are published in their right spelling in English.
func TestValuesAreGerman(t *testing.T) {
	german, english, sets := wordsOf(t, "de.js", "de-values.js"), wordsOf(t, "en.js"), valuesets.Published()
	for _, set := range sets.Names() {
		switch set {
		case valuesets.ProductCatalog: // a product shows the number of its line
		case valuesets.PetBreed: // breeds have names
		case valuesets.Currency, valuesets.Country: // these are codes, and the browser has the names of countries
		default:
			for _, value := range sets.Values(set) {
				if german[value] == "" && german["state "+value] == "" {
					t.Errorf("there is no German for %q of %s", value, set)
				}
			}
		}
	}
	for published, right := range corrections() {
		if !slices.Contains(sets.Values(valuesets.ProductCatalog), published) && english[published] != right {
			t.Errorf("en.js has %q for %q, not %q", english[published], published, right)
		}
	}
}

// setOf returns the names in a set that words.js has.
func setOf(t *testing.T, name string) (known []string) {
	t.Helper()
	text, err := os.ReadFile("page/words.js")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)` + name + ` = new Set\(\[(.*?)\]\)`).FindSubmatch(text)
	if list == nil {
		t.Fatalf("words.js has no %s", name)
	}
	for _, found := range literal.FindAllSubmatch(list[1], -1) {
		known = append(known, string(found[1]))
	}
	return known
}

// TestCountriesHaveNames compares the members that the page shows as the name of a country, with its code, with those
// of the interface document that have such a code.
func TestCountriesHaveNames(t *testing.T) {
	coded := map[string]bool{}
	for _, schema := range document(t).Components.Schemas {
		properties, _ := schema.(map[string]any)["properties"].(map[string]any)
		for member, of := range properties {
			if strings.Contains(fmt.Sprint(of), "ISO 3166-1 alpha-2") {
				coded[member] = true
			}
		}
	}
	if known, want := setOf(t, "COUNTRIES"), slices.Sorted(maps.Keys(coded)); !slices.Equal(known, want) {
		t.Errorf("the page has %v, the document %v", known, want)
	}
}

// TestValued compares the members that the page takes for values of a value set with those of the interface document.
func TestValued(t *testing.T) {
	known := setOf(t, "VALUED")
	// What caused a loss is a value of several sets, and a line of a bordereau has values of its own.
	valued := map[string]bool{"lossCause": true, "riskTransactionType": true}
	sets := append(valuesets.Published().Names(), "")
	for _, schema := range document(t).Components.Schemas {
		properties, _ := schema.(map[string]any)["properties"].(map[string]any)
		for member, of := range properties {
			for _, found := range regexp.MustCompile(`schemas/(\w+)`).FindAllStringSubmatch(fmt.Sprint(of), -1) {
				valued[member] = valued[member] || slices.Contains(sets, found[1])
			}
		}
	}
	for _, other := range []string{"country", "nationality", "currency"} { // codes
		delete(valued, other)
	}
	for _, other := range []string{"status", "claimStatus"} { // states
		delete(valued, other)
	}
	delete(valued, "description") // of a line of products, whose number a product shows
	maps.DeleteFunc(valued, func(_ string, is bool) bool { return !is })
	for _, member := range known {
		if !valued[member] {
			t.Errorf("VALUED in page/words.js has %s, which has no value set", member)
		}
	}
	for _, member := range slices.Sorted(maps.Keys(valued)) {
		if !slices.Contains(known, member) {
			t.Errorf("VALUED in page/words.js lacks %s, which has a value set", member)
		}
	}
}

// lines are the resources of policies.
var lines = []string{"motorCoverage", "cyberLiabilityCoverage", "propertyCoverage", "travelCoverage",
	"tradeCreditCoverage", "businessInterruptionCoverage", "petCoverage"}

// forms are the operations of which the page has a form.
func forms() (all []string) {
	for _, resource := range append([]string{"personal", "commercial", "vehicle", "driver", "business", "property",
		"traveller", "debtor", "pet", "claim", "receipt"}, lines...) {
		all = append(all, "post /"+resource)
	}
	for _, line := range lines {
		for _, action := range []string{":endorse", ":cancel", ":renew"} {
			if line+action != "travelCoverage:renew" {
				all = append(all, "post /"+line+"/{id}"+action)
			}
		}
	}
	const version = "post /x/bordereau/{contract}/{kind}/{period}/versions/{number}"
	return append(all, "post /receipt/{id}:refund", "post /claim/{id}:settle", "post /claim/{id}:reopen",
		"post /x/claim/{id}:pay",
		"post /claim/{id}/documents", "put /claim/{id}",
		"put /x/access/{policyNumber}", "post /x/bordereau/{contract}/{kind}/{period}:prepare",
		version+":reject", version+"/findings/{finding}:waive", "put /x/contract/{contract}",
		"post /x/reconciliation/run", "post /x/reconciliation/run/{runId}/items/{item}:accept",
		"post /x/reconciliation/run/{runId}:pair",
		"put /x/reconciliation/profile/{profile}", "put /x/webhook/{name}", "post /x/webhook/{name}:replay")
}

// resolved returns a schema without references and without null.
func (d described) resolved(of map[string]any) map[string]any {
	if either, _ := of["anyOf"].([]any); len(either) > 0 {
		return d.resolved(either[0].(map[string]any))
	}
	if reference, _ := of["$ref"].(string); reference != "" {
		return d.resolved(d.Components.Schemas[reference[strings.LastIndex(reference, "/")+1:]].(map[string]any))
	}
	return of
}

// hints adds what stands below the fields of a schema. What a schema does not show, and lists of what is no text, have
// none.
func (d described) hints(schema map[string]any, all map[string]bool) {
	properties, _ := d.resolved(schema)["properties"].(map[string]any)
	for _, property := range properties {
		of := property.(map[string]any)
		is := d.resolved(of)
		about, _ := of["description"].(string)
		if items, _ := is["items"].(map[string]any); items != nil {
			if inner := d.resolved(items); inner["properties"] != nil {
				d.hints(inner, all)
				continue
			} else if !strings.Contains(fmt.Sprint(inner["type"]), "string") {
				continue
			}
		}
		switch {
		case strings.HasPrefix(about, "Another name of") || is["type"] == nil:
		case is["properties"] != nil:
			d.hints(is, all)
		default:
			all[about] = true
		}
	}
}

// unsaid is what the interface leaves open, which stands below no field.
var unsaid = regexp.MustCompile(` ?The interface does not [^.]*\.( The interface does not [^.]*\.)?`)

// given are the numbers that the screen gives to a receipt, which the form has no field for.
var given = regexp.MustCompile(`^The number of the (policy|claim)\. A receipt needs this or`)

// TestHintsAreGerman checks that what stands below each field of each form is there in German, and no more, and each
// request that the page shows.
func TestHintsAreGerman(t *testing.T) {
	d, english := document(t), map[string]bool{}
	for _, form := range forms() {
		method, path, _ := strings.Cut(form, " ")
		operation, _ := d.Paths[path][method].(map[string]any)
		content, _ := json.Marshal(operation["requestBody"])
		var body struct {
			Content map[string]struct{ Schema map[string]any }
		}
		if err := json.Unmarshal(content, &body); err != nil || len(body.Content) == 0 {
			t.Errorf("there is no %s: %v", form, err)
		}
		d.hints(body.Content["application/json"].Schema, english)
	}
	text, err := os.ReadFile("page/help.js")
	if err != nil {
		t.Fatal(err)
	}
	period := "/x/bordereau/{contract}/{kind}/{period}"
	whole := strings.NewReplacer("${VERSION}", period+"/versions/{number}", "${PERIOD}", period, "PERIOD]",
		"'"+period+"']").Replace(string(text))
	shown := regexp.MustCompile("\\['(GET|POST|PUT)', ['`]([^'`]+)['`]\\]").FindAllStringSubmatch(whole, -1)
	for _, found := range shown {
		operation, _ := d.Paths[found[2]][strings.ToLower(found[1])].(map[string]any)
		summary, _ := operation["summary"].(string)
		english[summary] = true
	}
	contract, _ := d.Components.Parameters["contract"].(map[string]any)
	english[contract["description"].(string)] = true
	if len(english) < 150 || len(shown) < 30 {
		t.Errorf("only %d hints, and %d requests", len(english), len(shown))
	}
	german := wordsOf(t, "de-hints.js")
	for about := range english {
		about = strings.TrimSpace(unsaid.ReplaceAllString(about, ""))
		if german[about] == "" && !given.MatchString(about) {
			t.Errorf("de-hints.js lacks %q", about)
		}
		delete(german, about)
	}
	for about := range german {
		t.Errorf("de-hints.js has %q, which stands nowhere", about)
	}
}

// codes matches the code of a check of a version.
var codes = regexp.MustCompile(`(?m)^\t\w+ += "([a-z-]+)"$`)

// TestWhatIsSaidIsGerman checks that the page has German words for each problem, and for what each check of a version
// finds.
func TestWhatIsSaidIsGerman(t *testing.T) {
	said := wordsOf(t, "de-said.js")
	for _, one := range problems.All() {
		if said[one.Slug()] == "" {
			t.Errorf("de-said.js lacks the problem %s", one.Slug())
		}
	}
	for _, one := range problem.All() {
		if said[one.Slug()] == "" {
			t.Errorf("de-said.js lacks the problem %s", one.Slug())
		}
	}
	text, err := os.ReadFile("../../services/desk/check/check.go")
	if err != nil {
		t.Fatal(err)
	}
	checks := codes.FindAllSubmatch(text, -1)
	if len(checks) < 15 {
		t.Errorf("only %d checks", len(checks))
	}
	for _, found := range checks {
		if said[string(found[1])] == "" {
			t.Errorf("de-said.js lacks the finding %s", found[1])
		}
	}
}

// english are words that no German text has.
var english = regexp.MustCompile(`(?i)(^|[^\p{L}/:.-])(the|of|and|is|are|with|for|not|which|this|that|must|has|have|` +
	`been|from|by|to|or|there|what|when|where)([^\p{L}/:.*-]|$)`)

// TestNoEnglishInTheGermanWords looks for English in all German texts of the page.
func TestNoEnglishInTheGermanWords(t *testing.T) {
	for name, text := range wordsOf(t, "de.js", "de-members.js", "de-values.js", "de-said.js", "de-hints.js") {
		if found := english.FindString(text); found != "" || strings.Contains(text, "Börse") {
			t.Errorf("%s: %q has %q", name, text, found)
		}
	}
}
