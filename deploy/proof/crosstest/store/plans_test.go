package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/proof/e2e/plans"
	"insurance.example/exchange/pkg/docstore/mongostore"
)

// TestNoSearchScans asks MongoDB for the plans of all commands by which the searches that the declarations allow are
// read. Each finds its documents by the index that it names.
func TestNoSearchScans(t *testing.T) {
	finds, explained := 0, 0
	for _, d := range plans.Finds(t, allinone.Services()) {
		database := newDatabase(t)
		commands := watched{}
		proxy := startWire(t, address(t), commands.watch)
		store, err := mongostore.Options{URI: proxy.URI()}.Open(t.Context(), database.name)
		if err != nil {
			t.Fatal(err)
		}
		finds += d.Ask(t, store)
		commands.Range(func(form, command any) bool {
			explained++
			explain := bson.D{{Key: "explain", Value: command}}
			var plan bson.Raw
			if err := database.RunCommand(t.Context(), explain).Decode(&plan); err != nil {
				t.Errorf("%s: %v", form, err)
				return false
			}
			if wrong := wrongPlan(command.(bson.Raw), plan.Lookup("queryPlanner").String()); wrong != "" {
				t.Errorf("%s: %s: %s", form, wrong, plan)
			}
			return true
		})
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d finds by %d forms of commands", finds, explained)
}

// watched are the commands find that were seen, one for each form.
type watched struct{ sync.Map }

func (w *watched) watch(c wireCommand) wireAction {
	if c.Name == "find" {
		form := fmt.Sprint(c.Collection, c.Body.Lookup("filter"), c.Body.Lookup("sort"), c.Body.Lookup("hint"))
		w.LoadOrStore(id.ReplaceAllString(form, "ID"), append(bson.Raw{}, c.Body...))
	}
	return wireAction{}
}

var (
	id = regexp.MustCompile(`"base64":"[^"]*"`)
	// named are the indexes that a plan reads, as PostgreSQL or else MongoDB name them.
	named = []*regexp.Regexp{regexp.MustCompile(`"Index Name": "([^"]+)"`), regexp.MustCompile(`"indexName": "([^"]+)"`)}
)

// wrongPlan returns what is wrong with the plan of a find. The stand-in also sorts what an index has in order.
func wrongPlan(find bson.Raw, plan string) string {
	filter := find.Lookup("filter").String()
	hint, hinted := find.Lookup("hint").StringValueOK()
	switch {
	case filter == "{}": // any one document, when a store is opened
		return ""
	case strings.Contains(plan, "COLLSCAN"), strings.Contains(plan, "Seq Scan"):
		return "it scans"
	case strings.Contains(plan, `"stage": "SORT"`) && !strings.Contains(filter, "$gte"):
		return "it sorts"
	case !hinted && strings.Contains(filter, `"k.`) && !strings.HasPrefix(filter, `{"_id"`):
		return "it names no index"
	case !hinted: // a document by its id, or all in order of id
		return ""
	}
	for _, expression := range named {
		if all := expression.FindAllStringSubmatch(plan, -1); len(all) > 0 {
			if slices.ContainsFunc(all, func(match []string) bool { return match[1] != hint }) {
				return "it reads another index than " + hint
			}
			return ""
		}
	}
	return "it reads no index"
}
