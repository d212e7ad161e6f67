package overload

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// attendance is what came of the requests of a crowd.
type attendance struct {
	seen []seen
	// asking is for how long requests were due, and took the time until the last response.
	asking, took time.Duration
}

// served returns how many requests were served, whether or not in time.
func (a *attendance) served() (count int) {
	for _, s := range a.seen {
		if s.status == s.kind.status {
			count++
		}
	}
	return count
}

// useful reports whether a request was served in time.
func (s seen) useful() bool { return s.status == s.kind.status && s.took <= inTime }

// inTime returns how many requests were served in time.
func (a *attendance) inTime() (count int) {
	for _, s := range a.seen {
		if s.useful() {
			count++
		}
	}
	return count
}

// latencies returns those of the requests that were served, from when they were due and from when they were sent, and
// of those that were refused because there were too many, from when they were due.
func (a *attendance) latencies() (admitted, sent, refused load.Latencies) {
	for _, s := range a.seen {
		switch s.status {
		case s.kind.status:
			admitted.All = append(admitted.All, s.took)
			sent.All = append(sent.All, s.took-s.waited)
		case http.StatusServiceUnavailable, http.StatusTooManyRequests:
			refused.All = append(refused.All, s.took)
		}
	}
	return admitted, sent, refused
}

func (a *attendance) statuses() map[int]int64 {
	all := map[int]int64{}
	for _, s := range a.seen {
		all[s.status]++
	}
	return all
}

// ofEachKind returns the part of each kind of request that was served in time, such as "reads 41 %, writes 8 %".
func (a *attendance) ofEachKind() string {
	asked, useful := map[*kind]int{}, map[*kind]int{}
	var kinds []*kind
	for _, s := range a.seen {
		if asked[s.kind]++; asked[s.kind] == 1 {
			kinds = append(kinds, s.kind)
		}
		if s.useful() {
			useful[s.kind]++
		}
	}
	var all []string
	for _, k := range kinds {
		all = append(all, fmt.Sprintf("%s %.0f %%", k.name, 100*float64(useful[k])/float64(asked[k])))
	}
	return strings.Join(all, ", ")
}
