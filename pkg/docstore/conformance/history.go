package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// history: what a replace supersedes is kept where the caller asks for it, exactly as it was, and never changes.
func history(t *testing.T, f fixture) {
	t.Run("a former version is kept as it was", func(t *testing.T) {
		doc := f.insert(t, nil)
		first := f.advance(t, doc, "k1")
		second := f.advance(t, f.get(t, doc.ID), "")
		f.wantFormer(t, doc.ID, first)
		f.wantFormer(t, doc.ID, second)
		f.noFormer(t, doc.ID, 3)
	})
	t.Run("a replace without a former version keeps none", func(t *testing.T) {
		doc := f.replace(t, f.insert(t, nil))
		f.noFormer(t, doc.ID, 1)
		f.wantPage(t, doc.ID, 0, 9, f.advance(t, doc, ""))
	})
	t.Run("pages are in order of version and bounded", func(t *testing.T) {
		doc := f.insert(t, nil)
		var formers []docstore.Former
		for range 25 {
			formers = append(formers, f.advance(t, f.get(t, doc.ID), ""))
		}
		f.wantPage(t, doc.ID, 0, 100, formers...)
		f.wantPage(t, doc.ID, 7, 7, formers[7:14]...)
		f.wantPage(t, doc.ID, 21, 7, formers[21:]...)
		f.wantPage(t, doc.ID, 25, 7)
		err := result(f.Formers(t.Context(), us, doc.ID, 0, 0))
		wantError(t, "page without a limit", err, docstore.ErrUnavailable)
	})
	t.Run("pages end by their size", func(t *testing.T) {
		doc := f.insert(t, nil)
		var formers []docstore.Former
		for _, parts := range []int{0, 4, 4, 4, 10, 1, 4, 4} {
			stored := f.get(t, doc.ID)
			former := formerOf(stored, "")
			stored.State = fmt.Appendf(nil, `{"x":"%s"}`, bytes.Repeat([]byte("x"), parts*docstore.FormersBytes/9))
			must(t, f.Replace(t.Context(), us, stored, former))
			formers = append(formers, *former)
		}
		// In ninths of a page, versions 1 to 8 are 0, 0, 4, 4, 4, 10, 1 and 4.
		f.wantPage(t, doc.ID, 0, 9, formers[:4]...)
		f.wantPage(t, doc.ID, 0, 3, formers[:3]...)
		f.wantPage(t, doc.ID, 3, 9, formers[3:5]...)
		f.wantPage(t, doc.ID, 4, 9, formers[4])
		f.wantPage(t, doc.ID, 5, 9, formers[5])
		f.wantPage(t, doc.ID, 6, 9, formers[6:]...)
	})
	t.Run("a key finds the latest former version of its document that has it", func(t *testing.T) {
		doc, other := f.insert(t, nil), f.insert(t, nil)
		for _, key := range []string{"a", "b", "a", "", "c"} {
			f.advance(t, f.get(t, doc.ID), key)
		}
		for key, version := range map[string]int64{"a": 3, "b": 2, "c": 5} {
			got, err := f.FormerByKey(t.Context(), us, doc.ID, key)
			if err != nil || got.Version != version || got.Key != key || len(got.Body) > 0 || len(got.State) == 0 {
				t.Errorf("key %s finds %+v, error %v", key, got, err)
			}
			err = result(f.FormerByKey(t.Context(), us, other.ID, key))
			wantError(t, "key of another document", err, docstore.ErrNotFound)
		}
		f.wantPage(t, other.ID, 0, 9)
		for _, key := range []string{"d", "A", ""} {
			err := result(f.FormerByKey(t.Context(), us, doc.ID, key))
			wantError(t, fmt.Sprintf("key %q", key), err, docstore.ErrNotFound)
		}
	})
	t.Run("a replace that is refused leaves no wrong former version", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "H-1"})
		first := f.advance(t, doc, "k")
		// Whatever a late caller says that version 1 was, it stays what it was.
		wantError(t, "late replace",
			f.Replace(t.Context(), us, doc, &docstore.Former{Version: 1, Body: []byte(`{"late":true}`)}),
			docstore.ErrStale)
		f.wantFormer(t, doc.ID, first)
		ahead := doc
		ahead.Version = 9
		err := f.Replace(t.Context(), us, ahead, &docstore.Former{Version: 8, Body: doc.Body})
		wantError(t, "former version that is not the one replaced", err, docstore.ErrUnavailable)
		f.insert(t, docstore.Keys{"policyNumber": "H-2"})
		second := f.get(t, doc.ID)
		second.Keys = docstore.Keys{"policyNumber": "H-2"}
		wantDuplicate(t, "replace", f.Replace(t.Context(), us, second, formerOf(second, "")), "policyNumber")
		f.wantPage(t, doc.ID, 0, 1, first)
		// If the refused replace left version 2, then as it is: it does not show once version 2 is replaced.
		f.wantFormer(t, doc.ID, f.advance(t, f.get(t, doc.ID), ""))
		f.wantFormer(t, doc.ID, first)
	})
	t.Run("a document has a greatest size", func(t *testing.T) {
		doc := document(nil)
		doc.Body = fmt.Appendf(nil, `{"x":"%s"}`, bytes.Repeat([]byte("x"), docstore.MaxSize-len(doc.State)-8))
		f.advance(t, f.put(t, doc), "")
		stored := f.get(t, doc.ID)
		stored.State = slices.Concat(doc.State, []byte(" "))
		wantError(t, "replace", f.Replace(t.Context(), us, stored, formerOf(stored, "")), docstore.ErrTooLarge)
		if got := f.get(t, doc.ID); got.Version != 2 {
			t.Errorf("version %d after a refused replace", got.Version)
		}
		f.wantPage(t, doc.ID, 1, 1)
		doc = document(nil)
		doc.Body = append(bytes.Repeat([]byte(" "), docstore.MaxSize-len(doc.State)-1), "{}"...)
		wantError(t, "insert", f.Insert(t.Context(), us, doc), docstore.ErrTooLarge)
		f.lacks(t, doc.ID)
	})
}

// formerOf returns a document as the former version of its successor.
func formerOf(doc docstore.Document, key string) *docstore.Former {
	return &docstore.Former{Version: doc.Version, Body: doc.Body, State: doc.State, Digest: doc.Digest, Key: key}
}

// advance replaces a document by one with another state, and returns the former version.
func (f fixture) advance(t *testing.T, doc docstore.Document, key string) docstore.Former {
	t.Helper()
	former := *formerOf(doc, key)
	doc.State = fmt.Appendf(nil, `{"follows":%d}`, doc.Version)
	doc.Digest = docstore.NewDigest(doc.Version+1, doc.Body, doc.State, former.Digest)
	must(t, f.Replace(t.Context(), f.who, doc, &former))
	return former
}

// succeed replaces a document, which others replace too, by one whose body and state are its version. What it replaces
// is kept.
func (f fixture) succeed(t *testing.T, id uuid.UUID) {
	for {
		doc, err := f.Get(t.Context(), us, id)
		if err == nil {
			former := formerOf(doc, "")
			doc.Body = strconv.AppendInt(nil, doc.Version+1, 10)
			doc.State = doc.Body
			err = f.Replace(t.Context(), us, doc, former)
		}
		if !errors.Is(err, docstore.ErrStale) {
			if err != nil {
				t.Errorf("replace: %v", err)
			}
			return
		}
	}
}

// wantFormer fails the test unless a former version is kept as expected.
func (f fixture) wantFormer(t *testing.T, id uuid.UUID, want docstore.Former) {
	t.Helper()
	got, err := f.Former(t.Context(), f.who, id, want.Version)
	if err != nil {
		t.Fatalf("former version %d: %v", want.Version, err)
	}
	sameFormer(t, got, want)
}

// noFormer fails the test if a former version is kept.
func (f fixture) noFormer(t *testing.T, id uuid.UUID, version int64) {
	t.Helper()
	wantError(t, "former version", result(f.Former(t.Context(), f.who, id, version)), docstore.ErrNotFound)
}

// wantPage fails the test unless a page holds the former versions expected, without their bodies.
func (f fixture) wantPage(t *testing.T, id uuid.UUID, after int64, limit int, want ...docstore.Former) {
	t.Helper()
	page, err := f.Formers(t.Context(), f.who, id, after, limit)
	if err != nil || len(page) != len(want) {
		t.Fatalf("%d former versions after %d, error %v, want %d", len(page), after, err, len(want))
	}
	for i, got := range page {
		without := want[i]
		if len(without.Body) > 64<<10 && got.Digest == nil {
			without.Digest = nil // it may be left out
		}
		without.Body = nil
		sameFormer(t, got, without)
	}
}

func sameFormer(t *testing.T, got, want docstore.Former) {
	t.Helper()
	for _, text := range []*[]byte{&got.Body, &got.State, &want.Body, &want.State} {
		if len(*text) == 0 {
			*text = nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("former version\n got %+v\nwant %+v", got, want)
	}
}
