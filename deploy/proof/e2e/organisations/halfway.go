// Package organisations tries an exchange that organisations share, as separate processes, wherever these keep their
// records.
//
// Its files:
//
//	halfway.go  changes of an access list, one for each way to stop one half way
//	kills.go    kills a process at a step of a change
//	sight.go    what an organisation sees of a policy
//	book.go     a policy, and what is recorded under it
package organisations

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// owner is the organisation that owns the policy.
const owner = "acme"

// names are the organisations that the policy is shared with, one after the other.
var names = []string{"zenith", "orion", "vega"}

// Environ returns the variables of an exchange that organisations share.
func Environ() []string { return []string{"EXCHANGE_ORG_CLAIM=org", "EXCHANGE_ORG_DEFAULT=" + owner} }

// ShareUnderKills takes a policy from one organisation and gives it to the next one, once for each of the ways to stop
// that half way. replicas are the suffixes of the processes, as in the composition.
//
// The same request completes a change that stopped. Once its response is 200, the organisation that the list names sees
// everything, and the others nothing. The one that neither the list before nor the new one names asks all the time. And
// while a change is incomplete, nobody sees what it gives as long as anything is seen of what it takes.
func ShareUnderKills(t *testing.T, e *trial.Exchange, kills *Kills, ways []Way, replicas ...string) {
	t.Helper()
	kills.use(e, replicas)
	members := map[string]*trial.Client{}
	for _, name := range append(names, owner) {
		members[name] = member(t, e, name)
	}
	var doors []string
	for _, gateway := range kills.replicasOf("gateway") {
		doors = append(doors, e.URL(gateway))
	}
	c := &changes{
		kills: kills, members: members, sights: map[string]*sight{}, book: newBook(t, members[owner], doors),
	}
	for _, name := range names {
		c.sights[name] = &sight{name: name, by: members[name], book: c.book}
	}
	var watching sync.WaitGroup
	end := make(chan struct{})
	for _, s := range c.sights {
		s.none(t)
		watching.Go(func() { s.watch(t, end) })
	}
	for i, way := range ways {
		if !t.Failed() {
			c.give(t, names[(i+len(names)-1)%len(names)], names[i%len(names)], way)
		}
	}
	c.put(t, "")
	for _, s := range c.sights {
		s.shut()
		s.none(t)
	}
	close(end)
	watching.Wait()
}

// member returns a client of an organisation.
func member(t *testing.T, e *trial.Exchange, organisation string) *trial.Client {
	t.Helper()
	m, err := e.Member(organisation, "ada", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// changes makes changes to the access list of one policy.
type changes struct {
	kills   *Kills
	members map[string]*trial.Client
	sights  map[string]*sight
	book    *book
}

// give takes the policy from one organisation and gives it to another one. The change is stopped, and repeated until it
// is made. Meanwhile claims are made by the owner and by the organisation that loses the right to do so.
func (c *changes) give(t *testing.T, from, to string, way Way) {
	t.Helper()
	c.sights[to].open()
	var claiming sync.WaitGroup
	for _, name := range []string{owner, from} {
		claiming.Go(func() { _, _ = c.book.claim(t.Context(), c.members[name], "key of "+way.String()) })
	}
	var killed string
	var response trial.Response
	var err error
	wait.Until(t, func() error { // a change may end before its step, because a service is not called yet again
		c.kills.at(way)
		response, err = c.book.share(t, c.members[owner], to)
		if killed = c.kills.wait(); killed == "" {
			return fmt.Errorf("%v: no process was killed: %d %s (%w)", way, response.Status, response.Body, err)
		}
		return nil
	})
	c.takesFirst(t, from, to, way)
	if err := c.kills.e.Restart(killed); err != nil {
		t.Fatal(err)
	}
	c.takesFirst(t, from, to, way)
	c.put(t, to)
	c.sights[from].shut()
	claiming.Wait()
	wait.Until(t, func() error { // the claim of the owner, if that is not known to be made
		response, err := c.book.claim(t.Context(), c.members[owner], "key of "+way.String())
		return settled(t, response, err, http.StatusOK, http.StatusCreated)
	})
	for name, s := range c.sights {
		if name != to {
			s.none(t)
		}
	}
	c.sights[to].all(t)
	wait.Until(t, func() error {
		response, err := c.book.claim(t.Context(), c.members[from], "refused at "+way.String())
		return settled(t, response, err, http.StatusNotFound)
	})
	if t.Failed() {
		t.Logf("from %s to %s, stopped at %v: %d %s (%v)", from, to, way, response.Status, response.Body, err)
	}
}

// takesFirst fails the test if an organisation sees something that a change gives it, while another one sees something
// that the change takes from that.
func (c *changes) takesFirst(t *testing.T, from, to string, way Way) {
	t.Helper()
	if given := c.sights[to].some(t); given != "" {
		if left := c.sights[from].some(t); left != "" {
			t.Errorf("%v: %s sees %s, and %s still sees %s", way, to, given, from, left)
		}
	}
}

// put shares the policy with one organisation alone, or with none, and repeats the request until the change is made.
func (c *changes) put(t *testing.T, with string) {
	t.Helper()
	wait.Until(t, func() error {
		response, err := c.book.share(t, c.members[owner], with)
		return settled(t, response, err, http.StatusOK)
	})
}
