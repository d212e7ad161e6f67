package shared_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"insurance.example/exchange/pkg/docstore/shared"
)

// TestRefusalsAreBounded refuses as many others as an organisation may, the last of them at once. One that has ended
// makes room for another one, and neither what others refuse nor a change that follows the first service counts.
func TestRefusalsAreBounded(t *testing.T) {
	k := newKept(t)
	refuse := func(who, of string, refused bool, sequence int64) error {
		_, err := k.lists.Refuse(t.Context(), named(t, who),
			shared.Refusal{Organisation: of, Refused: refused, Sequence: sequence})
		return err
	}
	const atOnce, room = 6, 2
	for i := range shared.MostRefused - room {
		must(t, refuse("target", fmt.Sprintf("o%d", i), true, 0))
	}
	var made, full atomic.Int32
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() {
			switch err := refuse("target", fmt.Sprintf("p%d", i), true, 0); {
			case err == nil:
				made.Add(1)
			case errors.Is(err, shared.ErrFull):
				full.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != room || full.Load() != atOnce-room {
		t.Errorf("%d were made and %d refused, where there was room for %d", made.Load(), full.Load(), room)
	}
	must(t, refuse("target", "o0", true, 0)) // which stands already
	must(t, refuse("another", "o0", true, 0))
	if err := refuse("target", "o-more", true, 0); !errors.Is(err, shared.ErrFull) {
		t.Errorf("one too many: %v", err)
	}
	must(t, refuse("target", "o0", false, 0))
	must(t, refuse("target", "o0", false, 0)) // which has ended already
	must(t, refuse("target", "o-more", true, 0))
	if err := refuse("target", "o0", true, 0); !errors.Is(err, shared.ErrFull) {
		t.Errorf("one too many after one has ended: %v", err)
	}
	must(t, refuse("target", "o0", true, 1<<60))
	if is, err := k.lists.Refusal(t.Context(), named(t, "target"), "o0"); err != nil || !is.Refused {
		t.Errorf("a change that follows the first service: %+v, %v", is, err)
	}
}
