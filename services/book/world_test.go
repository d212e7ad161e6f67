package book_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
)

// world has the logs of the services, with their records, as whole numbers of euros. What they come to it adds up by
// its own rules of what the logs have.
type world struct {
	*rand.Rand
	logs map[string]*log
	now  time.Time
	// serial numbers the records.
	serial int
	// quiet says that nothing more happens.
	quiet            bool
	killed, restored int
}

// log is the log of a service. Its name changes when it is restored, and its positions with it.
type log struct {
	name    int
	entries []internalapi.Change
}

func newWorld(random *rand.Rand) *world {
	w := &world{Rand: random, logs: map[string]*log{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, service := range []string{"parties", "coverage", "claims", "premium"} {
		w.logs[service] = &log{}
	}
	return w
}

// serve responds to the follower. Other things happen between two responses.
func (w *world) serve(rw http.ResponseWriter, service, place string) {
	if w.IntN(4) == 0 && !w.quiet {
		w.happen()
	}
	if service == "desk" {
		_, _ = fmt.Fprint(rw, `{"contracts":[],"assignments":[]}`)
		return
	}
	l := w.logs[service]
	name, at, _ := strings.Cut(place, "-")
	from, err := strconv.Atoi(at)
	switch {
	case place == "oldest":
	case place == "now":
		from = len(l.entries)
	case err != nil || name != strconv.Itoa(l.name):
		rw.WriteHeader(http.StatusNotFound)
		return
	}
	to := min(len(l.entries), from+w.IntN(9)) // there may be none while others come
	if to == from {
		to = len(l.entries)
	}
	if to > from && w.IntN(4) == 0 {
		from = w.IntN(from + 1) // what was delivered before
	}
	_ = json.NewEncoder(rw).Encode(internalapi.Changes{Changes: l.entries[from:to],
		Next: fmt.Sprint(l.name, "-", to), Watermark: scalar.Instant(w.now)})
}

// restore gives all logs, or one, what they had at an earlier instant.
func (w *world) restore() {
	w.restored++
	names := slices.Sorted(maps.Keys(w.logs))
	if w.IntN(2) == 0 {
		names = names[w.IntN(4):][:1]
	}
	to := w.now.Add(-time.Duration(w.IntN(3000)) * time.Hour)
	for _, name := range names {
		l := w.logs[name]
		l.name++
		l.entries = slices.DeleteFunc(slices.Clone(l.entries), func(c internalapi.Change) bool {
			return c.Time.Time().After(to)
		})
	}
}

// present returns the records of some resources as they are, in the order in which they were made.
func (w *world) present(service string, resources ...string) (all []internalapi.Change) {
	for _, c := range w.logs[service].entries {
		at := slices.IndexFunc(all, func(is internalapi.Change) bool { return is.ID == c.ID })
		switch {
		case !slices.Contains(resources, c.Resource):
		case at < 0:
			all = append(all, c)
		default:
			all[at] = c
		}
	}
	return all
}

// record is what the world knows of a record of any kind.
type record struct {
	Name             string    `json:"name,omitzero"`
	PlateNumber      string    `json:"plateNumber,omitzero"`
	PolicyNumber     string    `json:"policyNumber,omitzero"`
	PolicyholderID   string    `json:"policyholderId,omitzero"`
	VehicleID        string    `json:"vehicleId,omitzero"`
	InceptionDate    time.Time `json:"inceptionDate,omitzero"`
	ExpiryDate       time.Time `json:"expiryDate,omitzero"`
	Gross            int64     `json:"grossWrittenPremium,omitzero"`
	Status           string    `json:"status,omitzero"`
	ClaimNumber      string    `json:"claimNumber,omitzero"`
	FNOL             time.Time `json:"fnol,omitzero"`
	Reserve          int64     `json:"reserve,omitzero"`
	ClaimStatus      string    `json:"claimStatus,omitzero"`
	Payments         []payment `json:"payments,omitzero"`
	ReceiptType      string    `json:"receiptType,omitzero"`
	PaymentAmount    int64     `json:"paymentAmount,omitzero"`
	ReceiptDate      string    `json:"receiptDate,omitzero"`
	RecordedAt       time.Time `json:"recordedAt,omitzero"`
	ReversesID       string    `json:"reverses,omitzero"`
	ReservedPayments int       `json:"x,omitzero"` // how many payments there were when the reserve was set
}

type payment struct {
	PaymentAmount int64     `json:"paymentAmount"`
	PaidAt        time.Time `json:"paidAt"`
	RecordedAt    time.Time `json:"recordedAt"`
}

func decode(c internalapi.Change) (r record) {
	if err := json.Unmarshal(c.Record, &r); err != nil {
		panic(err)
	}
	return r
}

// write writes the next version of a record.
func (w *world) write(service, resource, id string, version int64, kind string, r record) {
	w.now = w.now.Add(time.Duration(1+w.IntN(150)) * time.Hour)
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	w.logs[service].entries = append(w.logs[service].entries, internalapi.Change{Resource: resource, ID: scalar.ID(id),
		Version: version, Type: kind, Time: scalar.Instant(w.now), Logged: scalar.Instant(w.now),
		Record: scalar.JSON(text)})
}

// id returns another id, and number what a record is called by it.
func (w *world) id() string {
	w.serial++
	return fmt.Sprintf("01930000-0000-7000-8000-%012d", w.serial)
}

// pick returns one of the records; ok if there are some.
func (w *world) pick(all []internalapi.Change) (c internalapi.Change, r record, ok bool) {
	if len(all) == 0 {
		return c, r, false
	}
	c = all[w.IntN(len(all))]
	return c, decode(c), true
}

var lines = []string{"motorCoverage", "travelCoverage"}

// happen has something happen.
func (w *world) happen() {
	switch w.IntN(8) {
	case 0:
		w.party()
	case 1:
		w.object()
	case 2, 3:
		w.policy()
	case 4, 5:
		w.receipt()
	default:
		w.claim()
	}
}

func (w *world) party() {
	name := fmt.Sprint("Firm ", w.IntN(100))
	if c, r, is := w.pick(w.present("parties", "commercial")); is && w.IntN(2) == 0 {
		r.Name = name
		w.write("parties", "commercial", string(c.ID), c.Version+1, "replaced", r)
		return
	}
	w.write("parties", "commercial", w.id(), 1, "created", record{Name: name})
}

func (w *world) object() {
	plate := fmt.Sprint("EX ", w.IntN(100))
	if c, r, is := w.pick(w.present("coverage", "vehicle")); is && w.IntN(2) == 0 {
		r.PlateNumber = plate
		w.write("coverage", "vehicle", string(c.ID), c.Version+1, "replaced", r)
		return
	}
	w.write("coverage", "vehicle", w.id(), 1, "created", record{PlateNumber: plate})
}

func (w *world) policy() {
	if c, r, is := w.pick(w.present("coverage", lines...)); is && w.IntN(2) == 0 {
		kind := "endorsed"
		if r.Gross = int64(w.IntN(2000)); w.IntN(5) == 0 {
			kind, r.Status = "cancelled", "cancelled"
		}
		w.write("coverage", c.Resource, string(c.ID), c.Version+1, kind, r)
		return
	}
	id := w.id()
	r := record{PolicyNumber: "P" + id[30:], Status: "in force", Gross: int64(1 + w.IntN(2000)),
		InceptionDate: time.Date(2025+w.IntN(2), time.Month(1+w.IntN(12)), 1+w.IntN(28), 0, 0, 0, 0, time.UTC)}
	r.ExpiryDate = r.InceptionDate.AddDate(1, 0, 0)
	if c, _, is := w.pick(w.present("parties", "commercial")); is {
		r.PolicyholderID = string(c.ID)
	}
	if c, _, is := w.pick(w.present("coverage", "vehicle")); is {
		r.VehicleID = string(c.ID)
	}
	w.write("coverage", lines[w.IntN(2)], id, 1, "created", r)
}

func (w *world) receipt() {
	if c, r, is := w.pick(w.present("premium", "receipt")); is && w.IntN(3) == 0 && r.ReversesID == "" {
		r.ReversesID, r.PaymentAmount, r.RecordedAt = string(c.ID), int64(1+w.IntN(int(r.PaymentAmount))), w.now
		w.write("premium", "receipt", w.id(), 1, "refunded", r)
		return
	}
	if _, p, is := w.pick(w.present("coverage", lines...)); is {
		w.write("premium", "receipt", w.id(), 1, "created", record{PolicyNumber: p.PolicyNumber,
			ReceiptType: "new policy", PaymentAmount: int64(1 + w.IntN(900)), RecordedAt: w.now,
			ReceiptDate: w.now.Format(time.DateOnly)})
	}
}

func (w *world) claim() {
	if c, r, is := w.pick(w.present("claims", "claim")); is && w.IntN(2) == 0 {
		kind := "paid"
		switch {
		case r.ClaimStatus == "closed":
			return
		case w.IntN(3) == 0:
			kind, r.Reserve, r.ReservedPayments = "replaced", r.Reserve+int64(1+w.IntN(500)), len(r.Payments)
		default:
			r.Payments = append(slices.Clone(r.Payments), payment{int64(1 + w.IntN(400)), w.now, w.now})
			if w.IntN(3) == 0 {
				kind, r.ClaimStatus = "settled", "closed"
			}
		}
		w.write("claims", "claim", string(c.ID), c.Version+1, kind, r)
		return
	}
	if _, p, is := w.pick(w.present("coverage", lines...)); is {
		id := w.id()
		w.write("claims", "claim", id, 1, "created", record{ClaimNumber: "C" + id[30:], PolicyNumber: p.PolicyNumber,
			FNOL: w.now, Reserve: int64(1 + w.IntN(3000)), ClaimStatus: "open"})
	}
}

type sumKey struct {
	line string
	year int
}

// euro is how many cents sums have for one.
const euro = 100

// sums are in cents.
type sums struct {
	written, earned, received, refunded, paid, outstanding, notified, closed int64
}

// sums returns what the records come to: by line and year, and of each policy and claim. What names a policy that is
// not there counts nowhere.
func (w *world) sums() (by map[sumKey]sums, policies, claims map[string]string) {
	by, policies, claims = map[sumKey]sums{}, map[string]string{}, map[string]string{}
	names, plates := map[string]string{}, map[string]string{}
	for _, c := range w.present("parties", "commercial") {
		names[string(c.ID)] = decode(c).Name
	}
	for _, c := range w.present("coverage", "vehicle") {
		plates[string(c.ID)] = decode(c).PlateNumber
	}
	for _, c := range w.present("coverage", lines...) {
		p := decode(c)
		s := by[sumKey{c.Resource, p.InceptionDate.Year()}]
		s.written += p.Gross * euro
		s.earned += p.Gross * euro // sooner or later
		for _, c := range w.present("premium", "receipt") {
			switch r := decode(c); {
			case r.PolicyNumber != p.PolicyNumber:
			case r.ReversesID != "":
				s.refunded += r.PaymentAmount * euro
			default:
				s.received += r.PaymentAmount * euro
			}
		}
		of, open := 0, 0
		for _, c := range w.present("claims", "claim") {
			r := decode(c)
			if r.PolicyNumber != p.PolicyNumber {
				continue
			}
			of++
			s.notified++
			left := r.Reserve
			for n, one := range r.Payments {
				if s.paid += one.PaymentAmount * euro; n >= r.ReservedPayments {
					left -= one.PaymentAmount
				}
			}
			if r.ClaimStatus == "closed" {
				s.closed++
			} else {
				open++
				s.outstanding += max(0, left) * euro
			}
			claims[r.ClaimNumber] = fmt.Sprint(names[p.PolicyholderID], " ", p.PolicyNumber, " ", r.ClaimStatus)
		}
		policies[p.PolicyNumber] = fmt.Sprint(names[p.PolicyholderID], " ", plates[p.VehicleID], " ", of, " ", open)
		by[sumKey{c.Resource, p.InceptionDate.Year()}] = s
	}
	return by, policies, claims
}
