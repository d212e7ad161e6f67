package organisations

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/chance"
)

// steps is how many steps a change has: each of three services first takes what the change takes, and then gives what
// it gives.
const steps = 6

// moment says which process is killed at a step, and when.
type moment string

const (
	beforeStep moment = "the service before it"
	duringStep moment = "the service meanwhile"
	afterStep  moment = "the service after it"
	makerAfter moment = "composite after it"
	doorAfter  moment = "the gateway after it"
)

// Way is how a change is stopped.
type Way struct {
	step   int
	moment moment
}

func (w Way) String() string { return fmt.Sprintf("step %d, killed %s", w.step, w.moment) }

// Ways returns the ways to try all that matters: at each step the service and composite are killed, and others at some
// steps.
func Ways() (all []Way) {
	for step := range steps {
		other := []moment{beforeStep, afterStep, doorAfter}[step%3]
		all = append(all, Way{step + 1, duringStep}, Way{step + 1, makerAfter}, Way{step + 1, other})
	}
	return all
}

// FewWays returns one way for each step, by which every process is killed that Ways kills. It is for a store on which
// a process takes long to start.
func FewWays() []Way {
	return []Way{{1, makerAfter}, {2, duringStep}, {3, beforeStep}, {4, duringStep}, {5, afterStep}, {6, doorAfter}}
}

// Kills stands between the composite service, which makes a change step by step, and the services that keep the lists.
// It kills a process at a step.
type Kills struct {
	t testing.TB
	e *trial.Exchange
	// suffixes end the names of replicas.
	suffixes []string

	mu sync.Mutex
	// random chooses when a service is killed within a step.
	random *rand.Rand
	// next is how the change is to be stopped, and made counts its steps; nil once a process is being killed.
	next   *Way
	made   int
	killed string
	// killing are the kills under way.
	killing sync.WaitGroup
}

// NewKills returns one that kills nothing yet.
func NewKills(t testing.TB) *Kills {
	return &Kills{t: t, random: rand.New(rand.NewPCG(chance.Seed(t), 0))}
}

// Via returns the Via of a Composition in which processes are killed at the requests that the composite service sends.
func (k *Kills) Via() func(caller, to string) string {
	return trial.Between(k.t, "composite", k.before, k.after)
}

// use has it kill processes of an exchange.
func (k *Kills) use(e *trial.Exchange, suffixes []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.e, k.suffixes = e, suffixes; len(suffixes) == 0 {
		k.suffixes = []string{""}
	}
}

// replicasOf returns the names of the processes of a service.
func (k *Kills) replicasOf(service string) (all []string) {
	for _, suffix := range k.suffixes {
		all = append(all, service+suffix)
	}
	return all
}

// named returns the name of the process at a URL.
func (k *Kills) named(url string) string {
	for _, service := range internalapi.Services() {
		for _, name := range k.replicasOf(service) {
			if k.e.URL(name) == url {
				return name
			}
		}
	}
	return ""
}

// at has the change that comes next stopped.
func (k *Kills) at(w Way) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next, k.made, k.killed = &w, 0, ""
}

// wait waits until the process has ended that a change was stopped by, and returns its name; empty if there is none.
func (k *Kills) wait() string {
	k.killing.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.killed
}

// errLost has the proxy leave a request without a response.
var errLost = errors.New("a process was killed")

// kill kills a process. The caller has locked mu.
func (k *Kills) kill(name string) {
	k.next, k.killed = nil, name
	if err := k.e.Kill(name); err != nil {
		k.t.Error(err)
	}
}

// isStep reports whether a request makes a step of a change.
func isStep(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, internalapi.AccessPath)
}

// longestStep is about how long a step takes: within it the service is killed that makes the step.
const longestStep = 4 * time.Millisecond

func (k *Kills) before(_, to string, r *http.Request) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == nil || !isStep(r) {
		return nil
	}
	if k.made++; k.made != k.next.step {
		return nil
	}
	switch k.next.moment {
	case beforeStep:
		k.kill(k.named(to))
		return errLost
	case duringStep:
		within := time.After(time.Duration(k.random.Int64N(int64(longestStep))))
		k.killing.Go(func() {
			<-within
			k.mu.Lock()
			defer k.mu.Unlock()
			k.kill(k.named(to))
		})
	}
	return nil
}

func (k *Kills) after(caller, to string, response *http.Response) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == nil || !isStep(response.Request) || k.made != k.next.step {
		return nil
	}
	switch k.next.moment {
	case afterStep:
		k.kill(k.named(to))
	case makerAfter:
		k.kill(caller)
	case doorAfter:
		k.kill(k.replicasOf(internalapi.Gateway)[0])
		return nil
	default:
		return nil
	}
	return errLost
}
