package gateway

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"insurance.example/exchange/pkg/problem"
)

// mostCallers is the number of callers whose requests are remembered. The one that has not asked for longest is
// forgotten first, and may then send as many as one that never asked.
const mostCallers = 10_000

// Rates limits how many requests each caller may send to one process of the gateway. It is safe for concurrent use.
type Rates struct {
	perSecond, burst int
	now              func() time.Time
	buckets          *lru.Cache[string, *rate.Limiter]
	// policy is the value of RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10).
	policy []string
}

// NewRates returns rates that let a caller send a number of requests in a second, and as many as burst after a while
// without any; nil if perSecond is 0. A burst of 0 is the requests of one second.
func NewRates(perSecond, burst int, now func() time.Time) (*Rates, error) {
	if perSecond == 0 {
		return nil, nil
	}
	if burst == 0 {
		burst = perSecond
	}
	buckets, err := lru.New[string, *rate.Limiter](mostCallers)
	if err != nil {
		return nil, err
	}
	r := &Rates{perSecond: perSecond, burst: burst, now: now, buckets: buckets}
	r.policy = []string{fmt.Sprintf(`"caller";q=%d;w=%d`, burst, r.seconds(float64(burst)))}
	return r, nil
}

// seconds returns how long it takes until a caller may send a number of requests, in whole seconds, at least one.
func (r *Rates) seconds(requests float64) int {
	return max(1, int(math.Ceil(requests/float64(r.perSecond))))
}

// Take counts a request of a caller and writes the fields RateLimit-Policy and RateLimit into the header of the
// response. It returns problem.RateExceeded if the caller may not send it now.
func (r *Rates) Take(caller string, header http.Header) error {
	now, bucket := r.now(), r.bucket(caller)
	allowed := bucket.AllowN(now, 1)
	left := bucket.TokensAt(now)
	header["Ratelimit-Policy"] = r.policy
	header["Ratelimit"] = []string{fmt.Sprintf(`"caller";r=%d;t=%d`, int(max(0, left)),
		r.seconds(float64(r.burst)-left))}
	if allowed {
		return nil
	}
	return problem.New(problem.RateExceeded,
		"This caller has sent more requests than it may. Nothing was done; send the request again later.").
		WithHeader("Retry-After", strconv.Itoa(r.seconds(1-left)))
}

// bucket returns what a caller may send.
func (r *Rates) bucket(caller string) *rate.Limiter {
	if known, ok := r.buckets.Get(caller); ok {
		return known
	}
	fresh := rate.NewLimiter(rate.Limit(r.perSecond), r.burst)
	if other, ok, _ := r.buckets.PeekOrAdd(caller, fresh); ok {
		return other // of another request of the same caller, at the same time
	}
	return fresh
}
