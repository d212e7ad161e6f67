package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/wait"
)

// renewals is a second collection of the store, whose log is the same.
var renewals = docstore.Spec{Name: "renewals", Indexes: []docstore.Index{{Name: "number", Unique: true}}}

// errands is a collection that the log leaves out.
var errands = docstore.Spec{Name: "errands", Unlogged: true}

// Changes runs the tests of the log of changes. open returns an empty store, which the suite closes.
func Changes(t *testing.T, size Size, open func(t *testing.T) docstore.Store) {
	for name, run := range map[string]func(*testing.T, logged){
		"every version of every collection is an entry": everyVersion,
		"what is refused and marks are no entries":      noEntries,
		"pages are the log":                             pagesOfLog,
		"nothing comes before a watermark":              watermarks,
		"the end is after what was acknowledged":        endOfLog,
		"positions of nothing are refused":              noPositions,
		"what is not logged is no entry":                unlogged,
	} {
		t.Run(name, func(t *testing.T) {
			run(t, logOf(t, size, open(t)))
		})
	}
	t.Run("positions of another log are refused", func(t *testing.T) {
		one, other := logOf(t, size, open(t)), logOf(t, size, open(t))
		_, err := one.log.Changes(t.Context(), us, other.end(t), 1)
		wantError(t, "position of another log", err, docstore.ErrPosition)
	})
}

// logged is a store with two collections and their log.
type logged struct {
	fixture
	other docstore.Collection
	log   docstore.Changes
}

func logOf(t *testing.T, size Size, store docstore.Store) logged {
	t.Helper()
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	first, err := store.Collection(t.Context(), policies)
	if err != nil {
		t.Fatal(err)
	}
	other, err := store.Collection(t.Context(), renewals)
	if err != nil {
		t.Fatal(err)
	}
	return logged{fixture{collectionOf(t, first), store, size}, other, capability[docstore.Changes](t, other)}
}

// version is one version of a document, as the log names it.
type version struct {
	collection string
	docstore.Ref
}

// count returns the versions that there are of documents at these versions.
func count(of map[version]bool) int {
	all := 0
	for v := range of {
		all += int(v.Version)
	}
	return all
}

// end returns the position after what there is.
func (l logged) end(t *testing.T) docstore.Position {
	t.Helper()
	end, err := l.log.EndOfChanges(t.Context(), us)
	if err != nil {
		t.Fatalf("end of the log: %v", err)
	}
	return end
}

// read returns the entries after a position in pages, once there are so many. It waits for
// entries that a store makes after the writes.
func (l logged) read(t *testing.T, after docstore.Position, limit, want int) []docstore.Change {
	t.Helper()
	var all []docstore.Change
	for deadline := time.Now().Add(wait.Longest); ; {
		page, err := l.log.Changes(t.Context(), us, after, limit)
		if err != nil || len(page.Changes) > limit {
			t.Fatalf("%d entries after %q, error %v", len(page.Changes), after, err)
		}
		all, after = append(all, page.Changes...), page.Next
		if len(page.Changes) == 0 && len(all) >= want {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d entries, want %d", len(all), want)
		}
	}
}

// wantWhole fails the test unless a log has every version of the documents, once and in order, and nothing else.
// stored has each document at its version.
func wantWhole(t *testing.T, log []docstore.Change, stored map[version]bool) {
	t.Helper()
	last := map[version]int64{}
	at := time.Time{}
	for _, entry := range log {
		of := version{entry.Collection, docstore.Ref{ID: entry.ID}}
		if last[of]++; last[of] != entry.Version {
			t.Fatalf("version %d of %v in %s is its entry %d", entry.Version, entry.ID, entry.Collection, last[of])
		}
		if entry.At.Before(at) {
			t.Fatalf("an entry of %v comes after one of %v", entry.At, at)
		}
		at = entry.At
	}
	for v := range stored {
		of := version{v.collection, docstore.Ref{ID: v.ID}}
		if last[of] != v.Version {
			t.Errorf("%d entries of %v in %s, which is at version %d", last[of], v.ID, v.collection, v.Version)
		}
		delete(last, of)
	}
	if len(last) > 0 {
		t.Errorf("%d documents in the log are not stored: %v", len(last), last)
	}
}

// load has writers insert and replace documents of both collections at once, some of which are theirs together, until
// each has written its share. It returns the documents at their last versions.
func (l logged) load(t *testing.T) map[version]bool {
	t.Helper()
	shared := l.insert(t, nil)
	var ids [2][]uuid.UUID
	ids[0] = append(ids[0], shared.ID)
	gather := make(chan [2]uuid.UUID, l.size.Writers*l.size.Increments)
	l.together(func(int) {
		for range l.size.Increments {
			first, second := document(nil), document(nil)
			err := errors.Join(l.Insert(t.Context(), us, first), l.other.Insert(t.Context(), us, second))
			if err != nil {
				t.Errorf("insert: %v", err)
				return
			}
			gather <- [2]uuid.UUID{first.ID, second.ID}
			second.Version = 1
			if err := l.other.Replace(t.Context(), us, second, formerOf(second, "")); err != nil {
				t.Errorf("replace: %v", err)
			}
			l.rewrite(t, shared.ID)
		}
	})
	close(gather)
	for pair := range gather {
		ids[0], ids[1] = append(ids[0], pair[0]), append(ids[1], pair[1])
	}
	return l.stored(t, ids)
}

// rewrite replaces a document that others replace too.
func (l logged) rewrite(t *testing.T, id uuid.UUID) {
	for {
		doc, err := l.Get(t.Context(), us, id)
		if err == nil {
			err = l.Replace(t.Context(), us, doc, nil)
		}
		if !errors.Is(err, docstore.ErrStale) {
			if err != nil {
				t.Errorf("replace: %v", err)
			}
			return
		}
	}
}

// stored returns documents of both collections at their versions.
func (l logged) stored(t *testing.T, ids [2][]uuid.UUID) map[version]bool {
	t.Helper()
	stored := map[version]bool{}
	for i, of := range []docstore.Collection{l.fixture, l.other} {
		for _, id := range ids[i] {
			doc, err := of.Get(t.Context(), us, id)
			if err != nil {
				t.Fatal(err)
			}
			name := []string{policies.Name, renewals.Name}[i]
			stored[version{name, docstore.Ref{ID: id, Version: doc.Version}}] = true
		}
	}
	return stored
}

func everyVersion(t *testing.T, l logged) {
	stored := l.load(t)
	wantWhole(t, l.read(t, "", 1000, count(stored)), stored)
}

func noEntries(t *testing.T, l logged) {
	doc := document(docstore.Keys{"policyNumber": "L-1"})
	doc.Unsent = true
	if err := l.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	wantDuplicate(t, "insert", l.Insert(t.Context(), us, document(doc.Keys)), "policyNumber")
	again := doc
	again.Keys = nil
	wantDuplicate(t, "insert", l.Insert(t.Context(), us, again), docstore.IDIndex)
	late := doc
	late.Version = 2
	wantError(t, "replace", l.Replace(t.Context(), us, late, nil), docstore.ErrStale)
	if removed, err := l.Sent(t.Context(), us, []docstore.Ref{{ID: doc.ID, Version: 1}}); err != nil || removed != 1 {
		t.Errorf("%d marks removed, error %v", removed, err)
	}
	last := l.insert(t, nil)
	wantWhole(t, l.read(t, "", 10, 2), map[version]bool{
		{policies.Name, docstore.Ref{ID: doc.ID, Version: 1}}:  true,
		{policies.Name, docstore.Ref{ID: last.ID, Version: 1}}: true,
	})
}

func unlogged(t *testing.T, l logged) {
	apart, err := l.store.Collection(t.Context(), errands)
	if err != nil {
		t.Fatal(err)
	}
	doc := document(nil)
	if err := apart.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	doc.Version = 1
	if err := apart.Replace(t.Context(), us, doc, nil); err != nil {
		t.Fatal(err)
	}
	last := l.insert(t, nil)
	wantWhole(t, l.read(t, "", 10, 1), map[version]bool{
		{policies.Name, docstore.Ref{ID: last.ID, Version: 1}}: true,
	})
	if read, err := apart.Get(t.Context(), us, doc.ID); err != nil || read.Version != 2 {
		t.Errorf("version %d, error %v", read.Version, err)
	}
}

func pagesOfLog(t *testing.T, l logged) {
	first, err := l.log.Changes(t.Context(), us, "", 10)
	if err != nil || len(first.Changes) > 0 || first.Next == "" {
		t.Fatalf("an empty log: %+v, error %v", first, err)
	}
	stored := l.load(t)
	all := l.read(t, first.Next, 1000, count(stored))
	for _, limit := range []int{7, 250} {
		if again := l.read(t, "", limit, len(all)); !slices.Equal(again, all) {
			t.Errorf("pages of %d: %d entries, not the %d of before", limit, len(again), len(all))
		}
	}
	l.insert(t, nil)
	for i := 0; i < len(all); i += 1 + len(all)/20 {
		page, err := l.log.Changes(t.Context(), us, all[i].Position, 5)
		if want := all[i+1 : min(i+6, len(all))]; err != nil || len(page.Changes) < len(want) ||
			!slices.Equal(page.Changes[:len(want)], want) {
			t.Errorf("after entry %d: %v, error %v, want %v", i, page.Changes, err, want)
		}
	}
	positions := map[docstore.Position]bool{}
	for _, entry := range all {
		positions[entry.Position] = true
	}
	if len(positions) != len(all) {
		t.Errorf("%d positions of %d entries", len(positions), len(all))
	}
}

func watermarks(t *testing.T, l logged) {
	ctx, stop := context.WithCancel(t.Context())
	var marks []time.Time // before entry i no other mark was given
	var seen []docstore.Change
	done := make(chan error, 1)
	go func() {
		after, mark := docstore.Position(""), time.Time{}
		for {
			ended := ctx.Err() != nil
			page, err := l.log.Changes(t.Context(), us, after, 50)
			if err != nil || ended && len(page.Changes) == 0 {
				done <- err
				return
			}
			for _, entry := range page.Changes {
				seen, marks = append(seen, entry), append(marks, mark)
			}
			after, mark = page.Next, page.Watermark
		}
	}()
	l.load(t)
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i, entry := range seen {
		if entry.At.Before(marks[i]) {
			t.Fatalf("an entry of %v follows a watermark of %v", entry.At, marks[i])
		}
	}
	// Without writes, the watermark goes on.
	began, after := time.Now(), l.end(t)
	for deadline := time.Now().Add(wait.Longest); ; {
		page, err := l.log.Changes(t.Context(), us, after, 1)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the watermark is %v at %v, error %v", page.Watermark, time.Now(), err)
		}
		if after = page.Next; page.Watermark.After(began) {
			return
		}
	}
}

func endOfLog(t *testing.T, l logged) {
	for written := 1; written < 4; written += 2 {
		l.insert(t, nil)
		l.read(t, "", 10, written)
		end, after := l.end(t), l.insert(t, nil)
		if found := l.read(t, end, 10, 1); len(found) != 1 || found[0].ID != after.ID {
			t.Errorf("after the end comes %v, want %v", found, after.ID)
		}
	}
}

func noPositions(t *testing.T, l logged) {
	l.insert(t, nil)
	l.read(t, "", 10, 1)
	end := l.end(t)
	for i := range len(end) {
		altered := []byte(end)
		altered[i] ^= 1
		page, err := l.log.Changes(t.Context(), us, docstore.Position(altered), 10)
		// An altered number may be one that the log has given.
		if err != nil {
			wantError(t, fmt.Sprintf("position %q", altered), err, docstore.ErrPosition)
		} else if len(page.Changes) > 1 {
			t.Errorf("position %q: %v", altered, page.Changes)
		}
	}
	for _, wrong := range []docstore.Position{"0", "-", end + "0", end[1:], end[:len(end)-1], " "} {
		_, err := l.log.Changes(t.Context(), us, wrong, 10)
		wantError(t, fmt.Sprintf("position %q", wrong), err, docstore.ErrPosition)
	}
	_, err := l.log.Changes(t.Context(), us, "", 0)
	wantError(t, "page without a limit", err, docstore.ErrUnavailable)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "context that has ended", result(l.log.Changes(ctx, us, "", 1)), context.Canceled)
	wantError(t, "context that has ended", result(l.log.EndOfChanges(ctx, us)), docstore.ErrUnavailable)
}
