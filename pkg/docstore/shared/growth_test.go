package shared_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

// kept is a collection of a shared exchange whose records are under policies.
type kept struct {
	t     *testing.T
	below docstore.Store
	all   docstore.Collection
	lists *shared.Lists
	made  int
}

func newKept(t *testing.T) *kept {
	t.Helper()
	return keptAt(t, time.Now)
}

// keptAt returns a collection whose access lists and refusals go by a clock.
func keptAt(t *testing.T, now func() time.Time) *kept {
	t.Helper()
	below, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	must(t, err)
	t.Cleanup(func() { must(t, below.Close()) })
	k := &kept{t: t, below: below}
	store := shared.Of(below, shared.Settings{On: true, Default: "acme"})
	k.all, err = store.Collection(t.Context(), docstore.Spec{
		Name: "record", SharedBy: "policyNumber",
		Indexes: []docstore.Index{{Name: "policyNumber"}, {Name: "number", Unique: true, Global: true}},
		Keys: func(doc docstore.Document) (keys docstore.Keys, err error) {
			return keys, json.Unmarshal(doc.Body, &keys)
		},
	})
	must(t, err)
	k.lists, err = shared.OpenLists(t.Context(), store, now)
	must(t, err)
	return k
}

// add adds a record of an organisation under a policy.
func (k *kept) add(owner, policyNumber string) {
	k.t.Helper()
	k.made++
	id, err := docstore.NewID(uuid.Nil)
	must(k.t, err)
	doc := docstore.Document{ID: id, Keys: docstore.Keys{"policyNumber": policyNumber, "number": fmt.Sprint(k.made)}}
	doc.Body, err = json.Marshal(doc.Keys)
	must(k.t, err)
	must(k.t, k.all.Insert(k.t.Context(), named(k.t, owner), doc))
}

// share shares a policy of an organisation with others alone.
func (k *kept) share(owner, policyNumber string, with ...string) {
	k.t.Helper()
	t := k.t
	sharing := docstore.SharingOf(k.all)
	change := shared.Change{PolicyNumber: policyNumber, Owner: owner, After: new(int64)}
	if was, err := k.lists.Of(t.Context(), policyNumber); err != nil || was != nil {
		must(t, err)
		change.After = &was.Sequence
	}
	for _, name := range with {
		change.Participants = append(change.Participants,
			shared.Participant{Organisation: name, Rights: []string{shared.ReadRight}})
	}
	begun, err := k.lists.Make(t.Context(), change)
	must(t, err)
	change.After, change.Sequence, change.Grant = nil, begun.Sequence, true
	_, err = k.lists.Make(t.Context(), change)
	must(t, err)
	must(t, sharing.Stamp(t.Context(), named(t, owner), policyNumber))
	_, err = k.lists.Finish(t.Context(), change)
	must(t, err)
}

// TestListsAreWhole has one organisation share more policies than are read at a time, beside another one that shares
// one. All are listed, in their order; once they are ended or refused nothing of them is left.
func TestListsAreWhole(t *testing.T) {
	const many = 300
	k := newKept(t)
	for i := range many {
		policyNumber := fmt.Sprintf("E%d", i)
		k.add("evil", policyNumber)
		k.share("evil", policyNumber, "former") // so that its grants are older than those of the others
		k.share("evil", policyNumber, "target")
	}
	k.add("victim", "V")
	k.share("victim", "V", "target")
	sees := func(name string, want int) {
		t.Helper()
		for _, order := range []bool{false, true} {
			q := docstore.Query{Limit: 7, Descending: order}
			if got := pages(t, k.all, named(t, name), q); len(got) != want {
				t.Errorf("%s sees %d records, want %d", name, len(got), want)
			}
		}
		lists, err := k.lists.Among(t.Context(), named(t, name), []string{"E0", "E2", "V", "no policy"})
		must(t, err)
		if len(lists) != min(want, 3) {
			t.Errorf("%s sees %d of the three policies, want %d", name, len(lists), min(want, 3))
		}
	}
	refuse := func(refused bool) {
		t.Helper()
		_, err := k.lists.Refuse(t.Context(), named(t, "target"),
			shared.Refusal{Organisation: "evil", Refused: refused})
		must(t, err)
	}
	sees("target", many+1)
	sees("former", 0)
	refuse(true)
	sees("target", 1)
	if got, err := k.all.Find(t.Context(), named(t, "target"),
		docstore.Query{Equal: docstore.Keys{"policyNumber": "E1"}, Limit: 1}); len(got) > 0 || err != nil {
		t.Errorf("what is refused is found by its policy: %v %v", got, err)
	}
	k.add("evil", "E1")
	k.share("evil", "E2", "target", "former")
	sees("target", 1)
	sees("former", 1)
	k.share("evil", "E2", "target")
	refuse(false)
	sees("target", many+2)
	for i := range many {
		k.share("evil", fmt.Sprintf("E%d", i))
	}
	sees("target", 1)
	grants, err := k.below.Collection(t.Context(), docstore.Spec{
		Name: "accessGrant", Unlogged: true, Unowned: true, Indexes: []docstore.Index{{Name: "participant"}},
	})
	must(t, err)
	if left, err := grants.Find(t.Context(), organisation.Exchange(), docstore.Query{
		Equal: docstore.Keys{"participant": "target"}, Limit: many,
	}); len(left) != 1 || err != nil {
		t.Errorf("%d grants are left (%v)", len(left), err)
	}
}

// TestALaterRefusalStands makes changes of a refusal in another order than they were asked for, and one to which a
// database gives its sequence that was restored to what it was before the others.
func TestALaterRefusalStands(t *testing.T) {
	k := newKept(t)
	change := func(sequence int64, refused, want bool) {
		t.Helper()
		stands, err := k.lists.Refuse(t.Context(), named(t, "target"),
			shared.Refusal{Organisation: "evil", Sequence: sequence, Refused: refused})
		must(t, err)
		if stands.Refused != want {
			t.Errorf("change %d: %v, want %v", sequence, stands.Refused, want)
		}
	}
	change(7, true, true)
	change(9, false, false)
	change(8, true, false)
	change(9, true, false) // the same change again
	change(0, true, true)  // a new one, to which a sequence is given
	is, err := k.lists.Refusal(t.Context(), named(t, "target"), "evil")
	if err != nil || is.Sequence <= 9 || !is.Refused {
		t.Errorf("%+v %v", is, err)
	}
	restored := keptAt(t, func() time.Time { return time.UnixMicro(is.Sequence + 1) })
	later, err := restored.lists.Refuse(t.Context(), named(t, "target"), shared.Refusal{Organisation: "evil"})
	must(t, err)
	change(later.Sequence, false, false)
}

// TestSharingDoesNotGrowTheStore shares a policy with ever other organisations, two at a time, and counts what is kept
// about that.
func TestSharingDoesNotGrowTheStore(t *testing.T) {
	const records, cycles = 5, 12
	k := newKept(t)
	all := k.all
	for range records {
		k.add("acme", "P")
	}
	// sees returns how many records an organisation finds in a list, by number and by id.
	sees := func(name string) (found int) {
		t.Helper()
		who := named(t, name)
		own := pages(t, all, who, docstore.Query{Limit: 100})
		for i := range k.made {
			docs, err := all.Find(t.Context(), who, docstore.Query{
				Equal: docstore.Keys{"number": fmt.Sprint(i + 1)}, Limit: 1,
			})
			must(t, err)
			if len(docs) == 1 {
				found++
				_, err := all.Get(t.Context(), who, docs[0].ID)
				must(t, err)
			}
		}
		if found != len(own) {
			t.Errorf("%s finds %d records, and %d in a list", name, found, len(own))
		}
		return found
	}
	name := func(i int) string { return fmt.Sprintf("o%d", i) }
	for i := range cycles {
		k.share("acme", "P", name(i), name(i+1))
		for j := range cycles + 1 {
			want := 0
			if j == i || j == i+1 {
				want = k.made
			}
			if got := sees(name(j)); got != want {
				t.Fatalf("cycle %d: %s sees %d of %d records", i, name(j), got, want)
			}
		}
		k.share("acme", "P")
		if got := sees(name(i)); got != 0 {
			t.Fatalf("cycle %d: %s sees %d records after the sharing has ended", i, name(i), got)
		}
	}
	k.share("acme", "P", name(0), name(1))
	k.add("acme", "P")
	if got := sees(name(1)); got != k.made {
		t.Errorf("%d of %d records are seen with the one that was added", got, k.made)
	}
	for collection, want := range map[string]int{"accessList": 1, "accessGrant": 2, "accessStamp": 2 * k.made} {
		kept, err := k.below.Collection(t.Context(), docstore.Spec{
			Name: collection, Unlogged: true, Unowned: true,
		})
		must(t, err)
		docs, err := kept.Find(t.Context(), organisation.Exchange(), docstore.Query{Limit: 1000})
		must(t, err)
		if len(docs) != want {
			t.Errorf("%s has %d documents, want %d", collection, len(docs), want)
		}
	}
}
