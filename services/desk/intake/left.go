package intake

import (
	"context"
	"fmt"
	"slices"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/reference"
	"insurance.example/exchange/services/desk/block"
)

// mostLeft is how many rows are remembered that have left records.
const mostLeft = 1000

// leftovers are what rows have left that were not made whole: the exchange refused one of their records and had made
// the ones before, or the import was cancelled meanwhile. They are of the imports of a batch that somebody applied.
//
// The Idempotency-Key of a record follows from its whole row, so that equal records of two rows, such as holders of
// whom only a name is known, stay two. A row that was mended has other keys for that reason, and would make once more
// what it has left. So it takes over what one row has left and it would make alike; nobody else takes that any more.
type leftovers struct {
	Rows []leftover `json:"rows"`
}

// leftover is what a row has left.
type leftover struct {
	// Row begins the keys of the row.
	Row string `json:"row"`
	// Keys are the Idempotency-Keys of its records, by what each makes.
	Keys recordKeys `json:"keys"`
	// Heir is the row of an import that has taken them over; empty as long as none has.
	Heir string `json:"heir,omitzero"`
}

// recordKeys are the Idempotency-Keys of records, by what each makes: its name in the profile, its resource and its
// members, with the same of each record of its row that it refers to.
type recordKeys map[string]string

// makes returns what each record of a row makes, as a digest.
func (of *row) makes() (all []string, err error) {
	byName := map[string]string{}
	for _, b := range of.Bodies {
		text, err := reference.Resolve(b.JSON, func(r reference.Reference) string {
			return fmt.Sprintf("%s of %s", r.Member, byName[r.To])
		})
		if err != nil {
			return nil, err
		}
		byName[b.Name] = digest(b.Name, b.Resource, string(text))
		all = append(all, byName[b.Name])
	}
	return all, nil
}

// work is a row whose records are made.
type work struct {
	row
	to *intake.ImportRow
	// makes are what its records make, heir names the row among those of all imports, and from is what it takes over.
	makes []string
	heir  string
	from  recordKeys
	// hasHeir says that another row has taken over what this one has left.
	hasHeir bool
	// keys are those of the records that were made of it.
	keys recordKeys
}

// worksOf returns the rows of a part that are to be made.
func worksOf(s *stored, rows []row, became []intake.ImportRow) (all []*work, err error) {
	for at := range became {
		if became[at].Outcome != intake.Ready {
			continue
		}
		w := &work{row: rows[at], to: &became[at], keys: recordKeys{}}
		w.heir = fmt.Sprintf("%s/%d", s.Head.ID, w.Row)
		if w.makes, err = w.row.makes(); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// ownKey returns the Idempotency-Key of a record of a row that takes nothing over.
func ownKey(of *row, name string) string { return of.Key + "." + name }

// keyOf returns the Idempotency-Key of a record of a row.
func (w *work) keyOf(n int) string {
	own := ownKey(&w.row, w.Bodies[n].Name)
	switch key := w.from[w.makes[n]]; {
	case key != "":
		return key
	case w.hasHeir:
		return own + "." + digest(w.heir)[:2*len(rowKey{})]
	}
	return own
}

// changeLeft changes what rows of imports such as this one have left, unless change reports that nothing is to be
// changed. Errors: those of the store.
func (i *Intake) changeLeft(ctx context.Context, s *stored, change func(*leftovers) bool) error {
	key := "import-left/" + digest(s.Head.AppliedBy, s.Head.Batch)
	return docstore.Again(func() error {
		var all leftovers
		h, err := i.Folder.Find(ctx, key, &all)
		if err != nil || !change(&all) {
			return err
		}
		for len(all.Rows) > mostLeft {
			at := slices.IndexFunc(all.Rows, func(of leftover) bool { return of.Heir != "" })
			all.Rows = slices.Delete(all.Rows, max(0, at), max(0, at)+1)
		}
		_, err = i.Folder.Write(ctx, h, key, "", all)
		return err
	})
}

// inherit has rows take over what rows before have left: first each its own, and then what is alike. It is noted before
// anything is made, so that the next request that goes on with the rows does the same. Errors: those of the store.
func (i *Intake) inherit(ctx context.Context, s *stored, rows []*work) error {
	return i.changeLeft(ctx, s, func(all *leftovers) (changed bool) {
		take := func(w *work, of *leftover) {
			changed = changed || of.Heir != w.heir
			of.Heir, w.from = w.heir, of.Keys
		}
		for _, w := range rows {
			w.from, w.hasHeir = nil, false
			if of := all.find(func(of leftover) bool { return of.Heir == w.heir }); of != nil {
				take(w, of)
			} else if of := all.find(func(of leftover) bool { return of.Row == w.Key }); of != nil && of.Heir == "" {
				take(w, of)
			} else {
				w.hasHeir = of != nil
			}
		}
		for _, w := range rows {
			has := func(of leftover) bool {
				return slices.ContainsFunc(w.makes, func(makes string) bool { return of.Keys[makes] != "" })
			}
			if w.from != nil {
				continue
			}
			if of := all.find(func(of leftover) bool { return of.Heir == "" && has(of) }); of != nil {
				take(w, of)
			}
		}
		return changed
	})
}

// find returns what the first row has left for which a function reports true; nil without one.
func (l *leftovers) find(is func(leftover) bool) *leftover {
	if at := slices.IndexFunc(l.Rows, is); at >= 0 {
		return &l.Rows[at]
	}
	return nil
}

// leave notes what rows have left that were not made whole. What rows that were made whole had left before is theirs,
// and nobody takes it over any more. Errors: those of the store.
func (i *Intake) leave(ctx context.Context, s *stored, rows []*work) error {
	return i.changeLeft(ctx, s, func(all *leftovers) (changed bool) {
		for _, w := range rows {
			of := all.find(func(of leftover) bool {
				return of.Heir == w.heir || of.Row == w.Key && of.Heir == ""
			})
			heir, whole := "", w.to.Outcome == intake.Made || w.to.Outcome == intake.There
			switch {
			case of == nil && (whole || len(w.keys) == 0):
				continue
			case whole:
				heir = w.heir
			case of == nil:
				all.Rows = append(all.Rows, leftover{Row: w.Key, Keys: recordKeys{}, Heir: w.heir})
				of = &all.Rows[len(all.Rows)-1]
			}
			changed = changed || of.Heir != heir
			of.Heir = heir
			for makes, key := range w.keys {
				if _, is := of.Keys[makes]; !is && !whole {
					of.Keys[makes], changed = key, true
				}
			}
		}
		return changed
	})
}

// leavePart notes that the rows of the part in which an import is cancelled may have left something. Errors: those of
// the store.
func (i *Intake) leavePart(ctx context.Context, s *stored) error {
	part := func(blocks string) block.List { return i.Folder.ItemsOf(s.Batch, blocks, partLength) }
	number := s.Head.Done / partLength
	if _, err := block.Read[intake.ImportRow](ctx, part(madeBlocks), number); err == nil {
		return nil // the part was made, and is still to be counted
	}
	rows, err := block.Read[row](ctx, part(rowBlocks), number)
	if err != nil {
		return err
	}
	became, err := block.Read[intake.ImportRow](ctx, part(checkedBlocks), number)
	if err != nil {
		return err
	}
	works, err := worksOf(s, rows, became)
	for _, w := range works {
		for n, makes := range w.makes {
			w.keys[makes] = ownKey(&w.row, w.Bodies[n].Name)
		}
	}
	if err == nil {
		err = i.leave(ctx, s, works)
	}
	return err
}
