package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/wait"
)

// renewals is a second collection of the store, whose log is the same.
var renewals = docstore.Spec{Name: "renewals", Indexes: []docstore.Index{{Name: "number", Unique: true}}}

// errands is a collection that the log leaves out.
var errands = docstore.Spec{Name: "errands", Unlogged: true}

// Changes runs the tests of the log of changes. open returns an empty store, which the suite closes.
func Changes(t *testing.T, size Size, open func(t *testing.T) docstore.Store) {
	logOf := func(t *testing.T) logged {
		f := opened(t, open(t), size, policies)
		return logged{f, f.in(t, renewals)}
	}
	for name, run := range map[string]func(*testing.T, logged){
		"every version of every collection is an entry": everyVersion,
		"what is refused, marked or unlogged is none":   noEntries,
		"nothing comes before a watermark":              watermarks,
		"the end is after what was acknowledged":        endOfLog,
		"positions of nothing are refused":              noPositions,
	} {
		t.Run(name, func(t *testing.T) { run(t, logOf(t)) })
	}
	t.Run("positions of another log are refused", func(t *testing.T) {
		one, other := logOf(t), logOf(t)
		err := result(one.Changes(t.Context(), us, other.end(t), 1))
		wantError(t, "position of another log", err, docstore.ErrPosition)
	})
}

// logged is a store with two collections and their log.
type logged struct {
	fixture
	other fixture
}

// version is one version of a document, as the log names it.
type version struct {
	collection string
	docstore.Ref
}

// versionOf returns a document of the first collection at its version.
func versionOf(doc docstore.Document) version {
	return version{policies.Name, docstore.Ref{ID: doc.ID, Version: doc.Version}}
}

// end returns the position after what there is.
func (l logged) end(t *testing.T) docstore.Position {
	t.Helper()
	end, err := l.EndOfChanges(t.Context(), us)
	must(t, err)
	return end
}

// read returns the entries after a position in pages, once there are so many. It waits for
// entries that a store makes after the writes.
func (l logged) read(t *testing.T, after docstore.Position, limit, want int) []docstore.Change {
	t.Helper()
	var all []docstore.Change
	for deadline := time.Now().Add(wait.Longest); ; {
		page, err := l.Changes(t.Context(), us, after, limit)
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

// wantWhole fails the test unless the log has every version of the stored documents, once and in order, and nothing
// else. It returns the log.
func (l logged) wantWhole(t *testing.T, versions ...version) []docstore.Change {
	t.Helper()
	count := 0
	for _, v := range versions {
		count += int(v.Version)
	}
	log := l.read(t, "", 1000, count)
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
	for _, v := range versions {
		of := version{v.collection, docstore.Ref{ID: v.ID}}
		if last[of] != v.Version {
			t.Errorf("%d entries of %v in %s, which is at version %d", last[of], v.ID, v.collection, v.Version)
		}
		delete(last, of)
	}
	if len(last) > 0 {
		t.Errorf("%d documents in the log are not stored: %v", len(last), last)
	}
	return log
}

// load has writers insert and replace documents of both collections at once, some of which are theirs together, until
// each has written its share. It returns the documents at their last versions.
func (l logged) load(t *testing.T) (versions []version) {
	t.Helper()
	shared := l.insert(t, nil)
	written := make(chan version, 2*l.size.Writers*l.size.Increments)
	l.together(func(int) {
		for range l.size.Increments {
			first, second := document(nil), document(nil)
			err := errors.Join(l.Insert(t.Context(), us, first), l.other.Insert(t.Context(), us, second))
			first.Version, second.Version = 1, 1
			err = errors.Join(err, l.other.Replace(t.Context(), us, second, formerOf(second, "")))
			if err != nil {
				t.Errorf("write: %v", err)
				return
			}
			written <- versionOf(first)
			written <- version{renewals.Name, docstore.Ref{ID: second.ID, Version: 2}}
			l.succeed(t, shared.ID)
		}
	})
	close(written)
	for v := range written {
		versions = append(versions, v)
	}
	return append(versions, versionOf(l.get(t, shared.ID)))
}

// everyVersion checks that the log has what was written, whatever the pages in which it is read.
func everyVersion(t *testing.T, l logged) {
	first, err := l.Changes(t.Context(), us, "", 10)
	if err != nil || len(first.Changes) > 0 || first.Next == "" {
		t.Fatalf("an empty log: %+v, error %v", first, err)
	}
	all := l.wantWhole(t, l.load(t)...)
	for limit, after := range map[int]docstore.Position{7: "", 250: first.Next} {
		if again := l.read(t, after, limit, len(all)); !slices.Equal(again, all) {
			t.Errorf("pages of %d: %d entries, not the %d of before", limit, len(again), len(all))
		}
	}
	l.insert(t, nil)
	for i := 0; i < len(all); i += 1 + len(all)/20 {
		page, err := l.Changes(t.Context(), us, all[i].Position, 5)
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

func noEntries(t *testing.T, l logged) {
	doc := document(docstore.Keys{"policyNumber": "L-1"})
	doc.Unsent = true
	doc = l.put(t, doc)
	wantDuplicate(t, "insert", l.Insert(t.Context(), us, document(doc.Keys)), "policyNumber")
	again := doc
	again.Keys = nil
	wantDuplicate(t, "insert", l.Insert(t.Context(), us, again), docstore.IDIndex)
	again.Version = 2
	wantError(t, "replace", l.Replace(t.Context(), us, again, nil), docstore.ErrStale)
	l.sends(t, 1, doc.ID)
	errand := l.in(t, errands)
	errand.has(t, errand.replace(t, errand.insert(t, nil)))
	last := l.insert(t, nil)
	l.wantWhole(t, versionOf(doc), versionOf(last))
}

func watermarks(t *testing.T, l logged) {
	ctx, stop := context.WithCancel(t.Context())
	var marks []time.Time // before entry i no other mark was given
	var changes []docstore.Change
	done := make(chan error, 1)
	go func() {
		after, mark := docstore.Position(""), time.Time{}
		for {
			ended := ctx.Err() != nil
			page, err := l.Changes(t.Context(), us, after, 50)
			if err != nil || ended && len(page.Changes) == 0 {
				done <- err
				return
			}
			for _, entry := range page.Changes {
				changes, marks = append(changes, entry), append(marks, mark)
			}
			after, mark = page.Next, page.Watermark
		}
	}()
	l.load(t)
	stop()
	must(t, <-done)
	for i, entry := range changes {
		if entry.At.Before(marks[i]) {
			t.Fatalf("an entry of %v follows a watermark of %v", entry.At, marks[i])
		}
	}
	// Without writes, the watermark goes on.
	began, after := time.Now(), l.end(t)
	for deadline := time.Now().Add(wait.Longest); ; {
		page, err := l.Changes(t.Context(), us, after, 1)
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
		if changes := l.read(t, end, 10, 1); len(changes) != 1 || changes[0].ID != after.ID {
			t.Errorf("after the end comes %v, want %v", changes, after.ID)
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
		page, err := l.Changes(t.Context(), us, docstore.Position(altered), 10)
		// An altered number may be one that the log has given.
		if err != nil {
			wantError(t, fmt.Sprintf("position %q", altered), err, docstore.ErrPosition)
		} else if len(page.Changes) > 1 {
			t.Errorf("position %q: %v", altered, page.Changes)
		}
	}
	for _, wrong := range []docstore.Position{"0", "-", end + "0", end[1:], end[:len(end)-1], " "} {
		err := result(l.Changes(t.Context(), us, wrong, 10))
		wantError(t, fmt.Sprintf("position %q", wrong), err, docstore.ErrPosition)
	}
	err := result(l.Changes(t.Context(), us, "", 0))
	wantError(t, "page without a limit", err, docstore.ErrUnavailable)
}
