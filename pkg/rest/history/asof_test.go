package history

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// formers are the former versions of one document, which count how often they are read. Those whose number is a
// multiple of lost were not kept; 0 for none.
type formers struct {
	docstore.History
	states [][]byte
	lost   int64
	reads  int
}

func (f *formers) kept(version int64) bool { return f.lost == 0 || version%f.lost != 0 }

func (f *formers) Formers(
	_ context.Context, _ organisation.ID, _ uuid.UUID, after int64, limit int,
) (all []docstore.Former, err error) {
	f.reads++
	for version := after + 1; version <= int64(len(f.states)) && len(all) < limit; version++ {
		if f.kept(version) {
			all = append(all, docstore.Former{Version: version, State: f.states[version-1]})
		}
	}
	return all, nil
}

func (f *formers) Former(
	_ context.Context, _ organisation.ID, _ uuid.UUID, version int64,
) (docstore.Former, error) {
	f.reads++
	return docstore.Former{Version: version, State: f.states[version-1]}, nil
}

// TestTheVersionInEffectIsFoundInFewReads looks at instants for the version that counts, of a record that was endorsed
// 10,000 times.
func TestTheVersionInEffectIsFoundInFewReads(t *testing.T) {
	const endorsements = 10_000
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, lost := range []int64{0, 3} {
		of := &formers{lost: lost}
		head := Created(Entry{Event: "created", At: began})
		dates := []time.Time{{}} // of each version, the last one included
		encode := func() []byte {
			state, err := (&State{Resource: "policy", History: head}).Encode()
			if err != nil {
				t.Fatal(err)
			}
			return state
		}
		date := began
		for range endorsements {
			of.states = append(of.states, encode())
			date = date.Add(time.Duration(random.IntN(2)) * time.Hour)
			head = head.Next(int64(len(of.states)), Entry{Event: "endorse", At: began, EffectiveDate: date}, nil)
			dates = append(dates, date)
		}
		present := docstore.Document{Version: endorsements + 1, State: encode()}
		log := &Log{Resource: "policy", Formers: of, Now: func() time.Time { return began }}
		for i := range 200 {
			at := began.Add(time.Duration(random.Int64N(int64(endorsements)*int64(time.Hour)/2)) - time.Hour)
			if i < 2 {
				at = []time.Time{{}, date}[i]
			}
			want := int64(endorsements + 1)
			for want > 1 && (at.Before(dates[want-1]) || want <= endorsements && !of.kept(want)) {
				want--
			}
			of.reads = 0
			got, err := log.InEffect(t.Context(), present, at)
			if err != nil || got.Version != want {
				t.Fatalf("at %v version %d counts, not %d (one in %d lost): %v", at, got.Version, want, lost, err)
			}
			if most := 15; of.reads > most {
				t.Fatalf("%d reads at %v, more than %d", of.reads, at, most)
			}
		}
	}
}
