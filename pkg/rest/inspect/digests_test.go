package inspect

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// past is a document with all of its former versions, as releases with and without digests write them.
type past struct {
	doc     docstore.Document
	formers []docstore.Former
}

// next replaces the document. A release without digests keeps the former version without one, and leaves that of the
// document, or drops it.
func (p *past) next(body string, digests, drops bool) {
	was := p.doc
	if was.Version > 0 {
		former := docstore.Former{Version: was.Version, Body: was.Body, State: was.State}
		if digests {
			former.Digest = was.Digest.Of(was.Version)
		}
		p.formers = append(p.formers, former)
	}
	p.doc.Version, p.doc.Body = was.Version+1, []byte(body)
	switch {
	case digests:
		p.doc.Digest = docstore.NewDigest(p.doc.Version, p.doc.Body, p.doc.State, was.Digest)
	case drops:
		p.doc.Digest = nil
	}
}

// written returns a document of as many versions as a text has letters: d for one that a release with digests writes,
// l for one that leaves the digest, and x for one that drops it.
func written(releases string) *past {
	p := &past{doc: docstore.Document{ID: uuid.New(), State: []byte(`{"resource":"policy"}`)}}
	for i, release := range releases {
		p.next(`{"premium":`+string(rune('1'+i))+`}`, release == 'd', release == 'x')
	}
	return p
}

// examined returns what is found, and how many versions have digests and have none.
func (p *past) examined(t *testing.T) (found []string, with, without int) {
	t.Helper()
	x := &Examination{Report: func(f docstore.Finding) error {
		if f.ID != p.doc.ID.String() || f.Collection != "policy" || f.Found == f.Expected {
			t.Errorf("finding %+v", f)
		}
		found = append(found, f.Found)
		return nil
	}}
	versions := chainOf(x, "policy", p.doc.ID, p.doc.Digest)
	for _, former := range p.formers {
		if err := versions.former(former); err != nil {
			t.Fatal(err)
		}
	}
	if err := versions.present(p.doc); err != nil {
		t.Fatal(err)
	}
	return found, versions.with, versions.without
}

// TestVersionsWithoutDigestsAreNoFault: releases without digests write first, are rolled back to, and are gone again.
func TestVersionsWithoutDigestsAreNoFault(t *testing.T) {
	for releases, with := range map[string]int{
		"d": 1, "l": 0, "x": 0, "dd": 2, "ddd": 3, "ld": 1, "lld": 1, "lldd": 2, "dl": 1, "ddl": 2, "ddll": 2,
		"dx": 0, "ddx": 1, "ddxx": 1, "dld": 1, "ddld": 2, "ddlldd": 3, "ddxdd": 3, "ddxxd": 2, "ldldld": 1,
	} {
		p := written(releases)
		found, is, without := p.examined(t)
		if len(found) > 0 || is != with || is+without != len(releases) {
			t.Errorf("%s: %d with a digest, %d without, found %q", releases, is, without, found)
		}
	}
}

func TestVersionsThatAreNotAsTheyWereWrittenAreFound(t *testing.T) {
	other := []byte(`{"premium":9}`)
	for name, c := range map[string]struct {
		releases string
		change   func(*past)
		found    string
	}{
		"the only version":       {"d", func(p *past) { p.doc.Body = other }, "version 1: the body"},
		"the present version":    {"ddd", func(p *past) { p.doc.Body = other }, "version 3: the body"},
		"a former version":       {"ddd", func(p *past) { p.formers[1].Body = other }, "version 2: the body"},
		"the first version":      {"ddd", func(p *past) { p.formers[0].Body = other }, "version 1: the body"},
		"what is kept about it":  {"dd", func(p *past) { p.formers[0].State = other }, "version 1: what is kept"},
		"after a release before": {"lld", func(p *past) { p.doc.Body = other }, "version 3: the body"},
		"before a roll back":     {"ddl", func(p *past) { p.formers[1].Body = other }, "version 2: the body"},
		"a former version, and its digest with it": {"ddd", func(p *past) {
			f := &p.formers[1]
			f.Body = other
			f.Digest = docstore.NewDigest(2, other, f.State, p.formers[0].Digest)
		}, "version 3 does not follow version 2"},
		"a former version without its digest": {"ddd", func(p *past) {
			p.formers[1].Body, p.formers[1].Digest = other, nil
		}, "version 2 has no digest, and version 3 names one"},
		"the first version without its digest": {"ddd", func(p *past) {
			p.formers[0].Body, p.formers[0].Digest = other, nil
		}, "version 1 has no digest, and version 2 names one"},
		"the present version without its digest": {"dd", func(p *past) {
			p.doc.Body, p.doc.Digest = other, nil
		}, "version 2 has no digest, and version 1 was kept with one"},
		"the third version without its digest": {"ddd", func(p *past) {
			p.doc.Body, p.doc.Digest = other, nil
		}, "version 3 has no digest, and version 2 was kept with one"},
		"a version that was put back": {"ddd", func(p *past) {
			p.doc.Version, p.formers = 2, p.formers[:1]
		}, "version 2: the digest is of version 3"},
	} {
		t.Run(name, func(t *testing.T) {
			p := written(c.releases)
			c.change(p)
			found, _, _ := p.examined(t)
			if len(found) == 0 || !strings.HasPrefix(found[0], c.found) {
				t.Errorf("found %q", found)
			}
		})
	}
}
