// Package folder keeps what is made of files that were sent: documents that are found by a key or listed, the newest
// first, long lists of items that belong to them in blocks, and the files themselves while they are read.
package folder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/services/desk/block"
)

// The collections. Each head has a key of its own, such as profile/NAME, and is of a list, such as profile.
const (
	// Heads are the documents that are found by a key.
	Heads   = "reconciliation"
	ofIndex = "of"
	blocks  = "reconciliationBlock"
	// KeyIndex is the index of the keys.
	KeyIndex = "key"
)

const (
	// BlockLength is how many items a block has; the last one may have fewer.
	BlockLength = 500
	// pageLength and pageBytes are how many heads, and bytes of them, are read at a time.
	pageLength = 200
	pageBytes  = 1 << 20
)

// Folder keeps documents. It is safe for concurrent use, once Open has returned.
type Folder struct {
	log           *slog.Logger
	heads, blocks docstore.Collection
	// files has a place for each file that is kept while it is read, and memory the bytes for what is worked on.
	files, memory *semaphore.Weighted
}

// New returns a folder. Open prepares it.
func New(log *slog.Logger) *Folder {
	return &Folder{log: log, files: semaphore.NewWeighted(mostFiles), memory: semaphore.NewWeighted(mostMemory)}
}

// Open prepares the collections. It is called once, before anything else is used. It fails where no temporary file can
// be made.
func (f *Folder) Open(ctx context.Context, store docstore.Store) error {
	if err := canSpool(); err != nil {
		return err
	}
	return f.OpenToRead(ctx, store)
}

// OpenToRead prepares the collections for an examination, in which no file is sent.
func (f *Folder) OpenToRead(ctx context.Context, store docstore.Store) (err error) {
	if f.heads, err = store.Collection(ctx, docstore.Spec{
		Name: Heads, Unlogged: true, Indexes: []docstore.Index{{Name: KeyIndex, Unique: true}, {Name: ofIndex}},
	}); err != nil {
		return err
	}
	f.blocks, err = store.Collection(ctx, block.Spec(blocks))
	return err
}

// Head is a document as it was read.
type Head struct {
	id uuid.UUID
	// Version is the number of the version that was read.
	Version int64
}

// Tag returns the entity tag of a document; empty for nil.
func (h *Head) Tag() string {
	if h == nil {
		return ""
	}
	return fmt.Sprintf(`"%s-%d"`, h.id, h.Version)
}

// FindIn reads the document of a collection with a key into a value; nil if there is none.
func FindIn(ctx context.Context, in docstore.Collection, key string, into any) (*Head, error) {
	docs, err := in.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{KeyIndex: key}, Limit: 1,
	})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	return Decode(docs[0], into)
}

// Find reads the head with a key into a value; nil if there is none.
func (f *Folder) Find(ctx context.Context, key string, into any) (*Head, error) {
	return FindIn(ctx, f.heads, key, into)
}

// Get reads the head with an id; nil if there is none.
func (f *Folder) Get(ctx context.Context, id string, into any) (*Head, error) {
	at, isID := scalar.ParseID(id)
	if !isID {
		return nil, nil
	}
	doc, err := f.heads.Get(ctx, request.OrganisationFrom(ctx), at)
	if errors.Is(err, docstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Decode(doc, into)
}

// Decode reads a document into a value.
func Decode(doc docstore.Document, into any) (*Head, error) {
	if err := json.Unmarshal(doc.Body, into); err != nil {
		return nil, &broken{doc.ID, err}
	}
	return &Head{doc.ID, doc.Version}, nil
}

// broken is the error of a stored document that cannot be read.
type broken struct {
	id    uuid.UUID
	cause error
}

func (b *broken) Error() string { return fmt.Sprintf("stored document %s: %v", b.id, b.cause) }

// leavesOut reports whether an error says that a document cannot be read. Such a document is logged, and left out of a
// list of others.
func (f *Folder) leavesOut(ctx context.Context, err error) bool {
	document, is := errors.AsType[*broken](err)
	if is {
		f.log.ErrorContext(ctx, "what is stored cannot be read, and is left out", "error", document)
	}
	return is
}

// WriteIn stores a value in place of the document that was read, or as a new one, and returns where. Errors:
// docstore.ErrStale, *docstore.DuplicateError, those of the store.
func WriteIn(
	ctx context.Context, in docstore.Collection, was *Head, keys docstore.Keys, value any,
) (*Head, error) {
	body, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	doc, who := docstore.Document{Body: body, Keys: keys}, request.OrganisationFrom(ctx)
	if was != nil {
		doc.ID, doc.Version = was.id, was.Version
		err = in.Replace(ctx, who, doc, nil)
	} else {
		err = docstore.InsertNew(ctx, in, who, &doc)
	}
	return &Head{doc.ID, doc.Version + 1}, err
}

// Write stores a value as a head of a list, if that is not empty; see WriteIn.
func (f *Folder) Write(ctx context.Context, was *Head, key, of string, value any) (*Head, error) {
	keys := docstore.Keys{KeyIndex: key}
	if of != "" {
		keys[ofIndex] = of
	}
	return WriteIn(ctx, f.heads, was, keys, value)
}

// Add stores a value as a new head under a key that keyOf returns for its id.
func (f *Folder) Add(ctx context.Context, of string, value any, keyOf func(id string) (key string)) error {
	var doc docstore.Document
	return docstore.InsertNamed(ctx, f.heads, request.OrganisationFrom(ctx), &doc, func() (err error) {
		doc.Keys = docstore.Keys{KeyIndex: keyOf(doc.ID.String()), ofIndex: of}
		doc.Body, err = json.Marshal(value, json.Deterministic(true))
		return err
	})
}

// ItemsOf returns a list of items of a batch, in blocks of a length.
func (f *Folder) ItemsOf(batch uuid.UUID, what string, length int) block.List {
	return block.List{In: f.blocks, Batch: batch, What: what, Length: length}
}

// EachOf calls a function with each item of a batch.
func EachOf[T any](
	ctx context.Context, f *Folder, batch uuid.UUID, what string, length, count int, do func(T) error,
) error {
	for number := 0; number*length < count; number++ {
		items, err := block.Read[T](ctx, f.ItemsOf(batch, what, length), number)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := do(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// Each calls a function with each head of a list, in the order in which they were made. lenient leaves out those that
// cannot be read.
func Each[T any](ctx context.Context, f *Folder, of string, lenient bool, do func(Head, T)) error {
	q := docstore.Query{Equal: docstore.Keys{ofIndex: of}, Limit: pageLength, Bytes: pageBytes}
	for {
		docs, err := f.heads.Find(ctx, request.OrganisationFrom(ctx), q)
		if err != nil {
			return err
		}
		whole := docstore.WithBodies(docs)
		for _, doc := range whole {
			var value T
			q.After = doc.ID
			h, err := Decode(doc, &value)
			if lenient && f.leavesOut(ctx, err) {
				continue
			}
			if err != nil {
				return err
			}
			do(*h, value)
		}
		if len(docs) < pageLength && len(whole) == len(docs) {
			return nil
		}
	}
}

// Examine calls a function with each head of a list, of all organisations. Errors: those of the function and of the
// store.
func (f *Folder) Examine(ctx context.Context, of string, do func(docstore.Document) error) error {
	q := docstore.Query{Equal: docstore.Keys{ofIndex: of}}
	return inspect.EachPage(ctx, f.heads, q, func(page []docstore.Document) error {
		for _, doc := range page {
			if err := do(doc); err != nil {
				return err
			}
		}
		return nil
	})
}

// Newest calls a function with the heads of a list, the newest first, until it has taken as many as a page has. It
// returns the id after which the next page begins; empty if there is none. Errors: problem.BadParameter, those of the
// function and of the store.
func Newest[T any](
	ctx context.Context, f *Folder, of, after string, limit int, take func(T) (bool, error),
) (next string, err error) {
	q := docstore.Query{Equal: docstore.Keys{ofIndex: of}, Descending: true, Limit: limit + 1, Bytes: pageBytes}
	if after != "" {
		var is bool
		if q.After, is = scalar.ParseID(after); !is {
			return "", problem.New(problem.BadParameter, "").InParameter("cursor", "is no cursor of this list")
		}
	}
	for count := 0; ; {
		docs, err := f.heads.Find(ctx, request.OrganisationFrom(ctx), q)
		if err != nil {
			return "", err
		}
		whole := docstore.WithBodies(docs)
		for _, doc := range whole {
			if count == limit {
				return q.After.String(), nil
			}
			var value T
			counts := false
			_, err := Decode(doc, &value)
			if err == nil {
				counts, err = take(value)
			}
			if err != nil && !f.leavesOut(ctx, err) {
				return "", err
			}
			if counts {
				count++
			}
			q.After = doc.ID
		}
		if len(docs) < q.Limit && len(whole) == len(docs) {
			return "", nil
		}
	}
}
