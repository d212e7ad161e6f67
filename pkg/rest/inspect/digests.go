package inspect

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// chain compares the versions of a document with their digests, in order of version; see docstore.Digest.
type chain struct {
	report func(digest string) error
	// left is the digest that the document has. It vouches for a former version if a release without digests has left
	// it there.
	left docstore.Digest
	// before is the version that was examined last, kept the last that was kept with its digest, and last the last
	// digest.
	before, kept int64
	last         docstore.Digest
	// with and without count the versions that have a digest, and that have none.
	with, without int
}

// chainOf begins to examine the versions of a document.
func chainOf(x *Examination, collection string, id uuid.UUID, left docstore.Digest) *chain {
	return &chain{left: left, report: func(digest string) error {
		return x.Report(docstore.Finding{
			Collection: collection, ID: id.String(), Invariant: "a version is as it was written", Found: digest,
			Expected: "what its digest vouches for",
		})
	}}
}

// former examines a former version.
func (c *chain) former(f docstore.Former) error {
	digest := f.Digest
	if len(digest) == 0 {
		digest = c.left.Of(f.Version)
	} else {
		c.kept = f.Version
	}
	return c.next(f.Version, f.Body, f.State, digest)
}

// present examines the present version, the last one.
func (c *chain) present(doc docstore.Document) error {
	err := c.next(doc.Version, doc.Body, doc.State, doc.Digest)
	if doc.Digest.Of(doc.Version) == nil && doc.Version > 1 && c.kept == doc.Version-1 {
		err = errors.Join(err, c.report(fmt.Sprintf("version %d has no digest, and version %d was kept with one",
			doc.Version, doc.Version-1)))
	}
	return err
}

func (c *chain) next(version int64, body, state []byte, digest docstore.Digest) error {
	if altered, is := errors.AsType[*docstore.AlteredError](digest.Check(version, body, state)); is {
		if err := c.report(fmt.Sprintf("version %d: %s", altered.Version, altered.Found)); err != nil {
			return err
		}
	}
	before := c.before
	c.before = version
	if digest = digest.Of(version); digest == nil {
		c.without++
		return nil
	}
	c.with++
	last := c.last
	c.last = digest
	switch prior := digest.Prior(); {
	case prior == last.Version() && (prior == 0 || digest.Follows(last)):
		return nil
	case prior > last.Version() && prior == before:
		return c.report(fmt.Sprintf("version %d has no digest, and version %d names one", prior, version))
	case prior > last.Version(): // that version was not kept
		return nil
	case prior == 0 && last.Version() < version-1: // a release without digests has dropped the one before
		return nil
	default:
		return c.report(fmt.Sprintf("version %d does not follow version %d with its digest", version, last.Version()))
	}
}

// Digests looks only for versions that are not as they were written, with fewer questions than Examine. Errors:
// docstore.ErrUnavailable; those of Report.
func Digests(ctx context.Context, s Service, x Examination) error {
	for _, c := range s.Collections {
		in, err := x.Store.Collection(ctx, c.Spec)
		if err != nil {
			return err
		}
		if err := EachPage(ctx, in, docstore.Query{}, func(page []docstore.Document) error {
			for _, doc := range page {
				versions := chainOf(&x, c.Name, doc.ID, doc.Digest)
				err := eachFormer(ctx, in, doc, versions.former)
				if err = errors.Join(err, versions.present(doc)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// formersAtOnce is the number of former versions that are read at once.
const formersAtOnce = 32

// eachFormer calls visit with each former version of a document, in order of version.
func eachFormer(
	ctx context.Context, past docstore.History, doc docstore.Document, visit func(docstore.Former) error,
) error {
	for after := int64(0); doc.Version > 1; {
		formers, err := past.Formers(ctx, everything, doc.ID, after, formersAtOnce)
		if err != nil {
			return err
		}
		for _, former := range formers {
			if after = former.Version; after >= doc.Version {
				return nil
			}
			if former, err = past.Former(ctx, everything, doc.ID, former.Version); err != nil {
				return err
			}
			if err := visit(former); err != nil {
				return err
			}
		}
		if len(formers) == 0 {
			return nil
		}
	}
	return nil
}
