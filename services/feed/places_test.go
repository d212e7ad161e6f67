package feed

import "testing"

// TestNoOrganisationTakesThePlacesOfOthers has one organisation take all places, and others come after it.
func TestNoOrganisationTakesThePlacesOfOthers(t *testing.T) {
	const a, b, c = "a", "b", "c"
	p := newPlaces(mostWaiting)
	held := map[string][]*place{}
	left := func(of string) (n int) {
		for _, one := range held[of] {
			select {
			case <-one.ended:
			default:
				n++
			}
		}
		return n
	}
	take := func(of string, times int) {
		for range times {
			if one := p.take(of); one != nil {
				held[of] = append(held[of], one)
			}
		}
		if sum := left(a) + left(b) + left(c); sum > mostWaiting || sum != p.taken {
			t.Fatalf("%d places are taken of %d, and counted as %d", sum, mostWaiting, p.taken)
		}
	}
	take(a, 2*mostWaiting)
	if left(a) != mostWaiting {
		t.Errorf("one alone has %d places", left(a))
	}
	take(b, 1)
	if left(a) != mostWaiting-1 || left(b) != 1 {
		t.Errorf("the first of another: %d and %d", left(a), left(b))
	}
	select {
	case <-held[a][0].ended:
	default:
		t.Error("another than the request that has waited longest lost its place")
	}
	take(b, 2*mostWaiting)
	take(a, 2*mostWaiting)
	if left(a) != mostWaiting/2 || left(b) != mostWaiting/2 {
		t.Errorf("two have %d and %d places", left(a), left(b))
	}
	take(c, 2*mostWaiting)
	for _, of := range []string{a, b, c} {
		if n := left(of); n < mostWaiting/3 || n > mostWaiting/3+1 {
			t.Errorf("one of three has %d places", n)
		}
	}
	for _, of := range []string{a, b, c} {
		for _, one := range held[of] {
			p.leave(one)
		}
	}
	if p.taken != 0 || len(p.of) != 0 {
		t.Errorf("after all have left: %d places, %v", p.taken, p.of)
	}
}
