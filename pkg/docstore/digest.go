package docstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Digest shows that a version of a document is as it was written: that neither its body nor its state was changed in
// the database by another program. It has the SHA-256 of both, the number of the version, and that of the version
// before it together with the SHA-256 of that one's digest. So the digests of a document are a chain: a program that
// changes a former version and its digest makes the next digest wrong.
//
// A digest has no key. It shows a mistake, a fault of the disk, and an amount that somebody has changed; who also
// computes all later digests anew is found by comparing with a backup.
//
// A store keeps digests byte for byte and does not look at them. Nobody changes the bytes of one. Releases without
// digests leave versions that have none:
//
//   - Such a release changes a document and leaves the digest where it is, or drops it. A digest that is left there
//     names an earlier version than the document's. It says nothing about the document, and still vouches for the
//     version that it names. The next version with a digest continues the chain from it.
//   - Such a release keeps a former version without its digest. It also writes the version that follows, which
//     therefore has none.
//   - So there is something wrong with a version without a digest if the digest of the next version names it, or if it
//     is the present one and the version before it was kept with its digest. Every other one is taken for one of such
//     a release: a record that was written once, and has lost its digest, cannot be told from one.
type Digest []byte

// The parts of a digest: the version, the sums of body and state, the version before, and the sum of its digest.
const (
	bodySumAt  = 8
	stateSumAt = bodySumAt + sha256.Size
	priorAt    = stateSumAt + sha256.Size
	linkAt     = priorAt + 8
	digestSize = linkAt + sha256.Size
)

// NewDigest returns the digest of a version of a document. before is the digest that was read with the version that it
// replaces, nil for none.
func NewDigest(version int64, body, state []byte, before Digest) Digest {
	d := make(Digest, digestSize)
	binary.BigEndian.PutUint64(d, uint64(version))
	put := func(at int, sum [sha256.Size]byte) { copy(d[at:], sum[:]) }
	put(bodySumAt, sha256.Sum256(body))
	put(stateSumAt, sha256.Sum256(state))
	if len(before) == digestSize {
		copy(d[priorAt:linkAt], before)
		put(linkAt, sha256.Sum256(before))
	}
	return d
}

// Version returns the number of the version that the digest is of, 0 for no digest.
func (d Digest) Version() int64 { return d.number(0) }

// Prior returns the number of the version before, 0 if that had no digest.
func (d Digest) Prior() int64 { return d.number(priorAt) }

func (d Digest) number(at int) int64 {
	if len(d) != digestSize {
		return 0
	}
	return int64(binary.BigEndian.Uint64(d[at:]))
}

// Of returns the digest if it is of this version, and nil otherwise.
func (d Digest) Of(version int64) Digest {
	if d.Version() == version {
		return d
	}
	return nil
}

// Follows reports whether the digest names another one as that of the version before.
func (d Digest) Follows(before Digest) bool {
	sum := sha256.Sum256(before)
	return d.Prior() == before.Version() && len(d) == digestSize && bytes.Equal(d[linkAt:], sum[:])
}

// Check returns an *AlteredError if the digest shows that a version of a document is not as it was written. It returns
// nil for a version that the digest says nothing about.
func (d Digest) Check(version int64, body, state []byte) error {
	if d.Of(version) != nil && sha256.Sum256(body) != [sha256.Size]byte(d[bodySumAt:stateSumAt]) {
		return &AlteredError{version, "the body is not the one that was written"}
	}
	return d.CheckState(version, state)
}

// CheckState is Check for a version that was read without its body.
func (d Digest) CheckState(version int64, state []byte) error {
	switch of := d.Version(); {
	case len(d) == 0, 0 < of && of < version:
		return nil
	case of > version || of < 1:
		return &AlteredError{version, fmt.Sprintf("the digest is of version %d", of)}
	case sha256.Sum256(state) != [sha256.Size]byte(d[stateSumAt:priorAt]):
		return &AlteredError{version, "what is kept about the record is not what was written"}
	}
	return nil
}

// AlteredError means that a version of a document is not as it was written.
type AlteredError struct {
	Version int64
	// Found says in words what is wrong.
	Found string
}

func (e *AlteredError) Error() string {
	return fmt.Sprintf("docstore: version %d: %s", e.Version, e.Found)
}
