package feed

import (
	"slices"
	"sync"
)

// places are those at which requests wait. Organisations share them: where all are taken, one that has fewer than
// another gets a place of that one. It is safe for concurrent use.
type places struct {
	most int

	mu    sync.Mutex
	taken int
	// of are the places of each organisation that has any, by its name, the one that was taken first in front.
	of map[string][]*place
}

// place is a place that a request has. ended is closed once the place goes to another organisation.
type place struct {
	owner string
	ended chan struct{}
}

func newPlaces(most int) *places {
	return &places{most: most, of: map[string][]*place{}}
}

// take returns a place for a request of an organisation, nil if there is none. Where all are taken, the request that
// has waited longest of the organisation with the most places loses its own, unless the organisation that asks would
// then have more than that one.
func (p *places) take(owner string) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken == p.most {
		var largest string
		for one, all := range p.of {
			if len(all) > len(p.of[largest]) {
				largest = one
			}
		}
		if len(p.of[largest]) <= len(p.of[owner])+1 {
			return nil
		}
		longest := p.of[largest][0]
		p.remove(longest)
		close(longest.ended)
	}
	taken := &place{owner, make(chan struct{})}
	p.of[owner] = append(p.of[owner], taken)
	p.taken++
	return taken
}

// leave gives a place back. It may have gone to another organisation.
func (p *places) leave(left *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(left)
}

func (p *places) remove(one *place) {
	all := p.of[one.owner]
	i := slices.Index(all, one)
	if i < 0 {
		return
	}
	p.taken--
	if p.of[one.owner] = slices.Delete(all, i, i+1); len(all) == 1 {
		delete(p.of, one.owner)
	}
}
