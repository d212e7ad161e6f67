package gateway

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// mostCallers is the number of callers, and of organisations, whose requests are remembered. The one whose last
// request is the oldest is forgotten first; it then begins again as a new one.
const mostCallers = 10_000

// Rate is how many requests may be sent in a second, 0 for any number; and how many at once after a while without any,
// 0 for those of one second.
type Rate struct{ PerSecond, Burst int }

// Rates limits how many requests may be sent to one process of the gateway: by the callers of each organisation
// together, and by each caller. It is safe for concurrent use.
type Rates struct {
	now func() time.Time

	// mu has a request counted for its organisation and its caller together, or for neither.
	mu     sync.Mutex
	shares []*share
}

// share is one rate that all have who are counted by it.
type share struct {
	Rate
	name, refusal string
	// policy says what may be sent, as RateLimit-Policy does (draft-ietf-httpapi-ratelimit-headers-10).
	policy string
	// of returns who is counted for a request; nobody if it is empty.
	of      func(*request.Caller) string
	buckets *lru.Cache[string, *rate.Limiter]
}

// NewRates returns rates for each organisation and for each caller; nil if there is neither.
func NewRates(organisation, caller Rate, now func() time.Time) (*Rates, error) {
	r := &Rates{now: now}
	for _, s := range []*share{
		{Rate: organisation, name: "organisation",
			of: func(c *request.Caller) string { return c.Organisation.Name() },
			refusal: "The callers of this organisation have together sent more requests than they may. Nothing was " +
				"done; send the request again later."},
		{Rate: caller, name: "caller", of: (*request.Caller).Key,
			refusal: "This caller has sent more requests than it may. Nothing was done; send the request again later."},
	} {
		if s.PerSecond == 0 {
			continue
		}
		if s.Burst == 0 {
			s.Burst = s.PerSecond
		}
		var err error
		if s.buckets, err = lru.New[string, *rate.Limiter](mostCallers); err != nil {
			return nil, err
		}
		s.policy = fmt.Sprintf(`"%s";q=%d;w=%d`, s.name, s.Burst, s.seconds(float64(s.Burst)))
		r.shares = append(r.shares, s)
	}
	if r.shares == nil {
		return nil, nil
	}
	return r, nil
}

// seconds returns how long it takes until a number of requests may be sent, in whole seconds, at least one.
func (s *share) seconds(requests float64) int {
	return max(1, int(math.Ceil(requests/float64(s.PerSecond))))
}

// Take counts a request for the organisation of its caller and for the caller, and writes the fields RateLimit-Policy
// and RateLimit into the header of the response. It returns problem.RateExceeded, and counts the request for neither,
// if one of them may not send it now.
func (r *Rates) Take(caller *request.Caller, header http.Header) error {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	buckets := make([]*rate.Limiter, len(r.shares))
	var refused error
	for i, s := range r.shares {
		if buckets[i] = s.bucket(s.of(caller)); buckets[i] == nil || refused != nil {
			continue
		}
		if left := buckets[i].TokensAt(now); left < 1 {
			refused = problem.New(problem.RateExceeded, s.refusal).
				WithHeader("Retry-After", strconv.Itoa(s.seconds(1-left)))
		}
	}
	var policies, left []string
	for i, s := range r.shares {
		if buckets[i] == nil {
			continue
		}
		if refused == nil {
			buckets[i].AllowN(now, 1)
		}
		tokens := buckets[i].TokensAt(now)
		policies = append(policies, s.policy)
		left = append(left, fmt.Sprintf(`"%s";r=%d;t=%d`, s.name, int(max(0, tokens)),
			s.seconds(float64(s.Burst)-tokens)))
	}
	if len(left) > 0 {
		header["Ratelimit-Policy"] = []string{strings.Join(policies, ", ")}
		header["Ratelimit"] = []string{strings.Join(left, ", ")}
	}
	return refused
}

// bucket returns what one of those who are counted may send, and nil for nobody.
func (s *share) bucket(name string) *rate.Limiter {
	if name == "" {
		return nil
	}
	limiter, ok := s.buckets.Get(name)
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(s.PerSecond), s.Burst)
		s.buckets.Add(name, limiter)
	}
	return limiter
}
