package intake

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/creation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/folder"
)

// list is the list of the imports.
const list = "import"

const (
	// partLength is how many rows are checked, or made, before it is noted how far an import has come.
	partLength = 250
	// atATime is how long a request works before it says how far it has come, so that no proxy gives up on it.
	atATime = 8 * time.Second
)

// Environment is what an intake needs of the service.
type Environment struct {
	Folder *folder.Folder
	// Profile returns a profile by its name. Errors: problem.NotFound, those of the store.
	Profile func(ctx context.Context, name string) (reconciliation.FileProfile, error)
	// Catalog has the resources.
	Catalog *resource.Catalog
	// Peer returns the client of a service, and Owners maps the resources that can be created to their services.
	Peer   func(name string) *peer.Client
	Owners map[string]string
	// Now returns the time of the exchange, and Wall that of the machine, by which a request knows how long it works: a
	// test clock may stand still.
	Now, Wall func() time.Time
	Zone      *time.Location
	// KeyRetention is how long an Idempotency-Key is remembered; zero stands for as long as the record.
	KeyRetention time.Duration
	Log          *slog.Logger
}

// Intake makes records of the rows of files. It is safe for concurrent use.
type Intake struct{ Environment }

// New returns an intake.
func New(of Environment) *Intake { return &Intake{of} }

// stored is an import as it is stored.
type stored struct {
	Head   intake.Import `json:"head"`
	Batch  uuid.UUID     `json:"batch"`
	Pieces int           `json:"pieces"`
	// Profile is how the file is read, and Extensions as in Sending. Marked says that the marks within its numbers are
	// declared.
	Profile    reconciliation.FileProfileTerms `json:"profile"`
	Extensions bool                            `json:"extensions,omitzero"`
	Marked     bool                            `json:"marked,omitzero"`
	// Terms is the digest of both.
	Terms string `json:"terms"`
	// Columns are the numbers of the columns by their meanings, and Header their names.
	Columns map[string]int `json:"columns"`
	Header  []string       `json:"header,omitempty"`
	// Sums is the digest of the outcomes of the check, as far as it has come.
	Sums string `json:"sums,omitzero"`
	// Applier is in whose name the records are made.
	Applier applier `json:"applier,omitzero"`
	// At is when it was noted last how far the import has come.
	At time.Time `json:"at"`
}

// applier is who has asked for the records.
type applier struct {
	Subject string `json:"subject"`
	Issuer  string `json:"issuer,omitzero"`
	Client  string `json:"client,omitzero"`
}

// Of returns an import. Errors: problem.NotFound, those of the store.
func (i *Intake) Of(ctx context.Context, id string) (intake.Import, error) {
	s, _, err := i.get(ctx, id)
	return s.Head, err
}

func (i *Intake) get(ctx context.Context, id string) (*stored, *folder.Head, error) {
	s := new(stored)
	h, err := i.Folder.Get(ctx, id, s)
	if err == nil && (h == nil || s.Head.ID != id || s.Head.FileDigest == "") {
		err = problem.New(problem.NotFound, "There is no import "+problem.Short(id)+".")
	}
	return s, h, err
}

// All returns a page of the imports, the newest first: those after the one with an id, empty for the first page.
// Errors: problem.BadParameter, those of the store.
func (i *Intake) All(ctx context.Context, after string, limit int) (intake.ImportList, error) {
	page := intake.ImportList{Imports: []intake.Import{}}
	next, err := folder.Newest(ctx, i.Folder, list, after, limit, func(s stored) (bool, error) {
		page.Imports = append(page.Imports, s.Head)
		return true, nil
	})
	page.Next = next
	return page, err
}

// Cancel ends an import: no further record is made. Errors: problem.NotFound, problem.Transition, those of the store.
func (i *Intake) Cancel(ctx context.Context, id string) (head intake.Import, err error) {
	err = docstore.Again(func() error {
		s, h, err := i.get(ctx, id)
		if err != nil {
			return err
		}
		if head = s.Head; head.State == intake.Cancelled {
			return nil
		}
		if head.State == intake.Applied {
			return problem.New(problem.Transition, "The import is applied. Its records stay.").
				With("state", head.State)
		}
		if head.State == intake.Applying {
			if err := i.leavePart(ctx, s); err != nil {
				return err
			}
		}
		s.Head.State = intake.Cancelled
		head = s.Head
		return i.write(ctx, h, s)
	})
	return head, err
}

// write stores an import in place of the document that was read. Errors: as docstore.Overtaken, those of the store.
func (i *Intake) write(ctx context.Context, was *folder.Head, s *stored) error {
	s.At = i.Now()
	_, err := i.Folder.Write(ctx, was, keyOf(s), list, s)
	return err
}

// keyOf returns the key of an import: the same file that is read in the same way is the same import.
func keyOf(s *stored) string {
	of := &s.Head
	return "import/" + digest(of.FileDigest, of.Resource, of.Profile, of.ProfileVersion, of.Batch, s.Terms)
}

// note notes what became of the rows of a part. from is how many rows are before it, which count returns as well unless
// somebody else has noted the part. before are the outcomes that its rows had, and change changes the import besides.
// What was done counts even if the import was cancelled meanwhile; what somebody else has noted before is left as it
// is. It returns the import as it is now.
func (i *Intake) note(
	ctx context.Context, id string, from int, count func(*intake.Import) *int, before map[string]int,
	became []intake.ImportRow, change func(*stored),
) (now *stored, err error) {
	err = docstore.Again(func() (err error) {
		var h *folder.Head
		now, h, err = i.get(ctx, id)
		if err != nil || *count(&now.Head) != from {
			return err
		}
		*count(&now.Head) += len(became)
		for outcome, rows := range before {
			now.Head.Outcomes[outcome] -= rows
		}
		for _, of := range became {
			now.Head.Outcomes[of.Outcome]++
		}
		maps.DeleteFunc(now.Head.Outcomes, func(_ string, rows int) bool { return rows == 0 })
		change(now)
		return i.write(ctx, h, now)
	})
	return now, err
}

// keep keeps what became of the rows of a part, and returns it; what somebody else has kept before stands.
func (i *Intake) keep(
	ctx context.Context, batch uuid.UUID, blocks string, number int, rows []intake.ImportRow,
) ([]intake.ImportRow, error) {
	of := i.Folder.ItemsOf(batch, blocks, partLength)
	err := block.Put(ctx, of, number, rows)
	if docstore.Overtaken(err) {
		return block.Read[intake.ImportRow](ctx, of, number)
	}
	return rows, err
}

// inNameOf returns a context for requests in the name of the person who has asked for the records.
func (a applier) inNameOf(ctx context.Context) context.Context {
	caller := request.CallerFrom(ctx)
	caller.Subject, caller.Issuer, caller.Client = a.Subject, a.Issuer, a.Client
	return request.WithCaller(ctx, caller)
}

// maker returns what tries and makes records.
func (i *Intake) maker() *creation.Maker {
	return &creation.Maker{Peer: i.Peer, Owners: i.Owners, Header: http.Header{}}
}

// isOver reports whether a request that began at an instant of the machine's time has worked for long enough.
func (i *Intake) isOver(began time.Time) bool { return i.Wall().Sub(began) > atATime }

// instant returns the present instant.
func (i *Intake) instant() scalar.DateTime { return scalar.Instant(i.Now()) }
