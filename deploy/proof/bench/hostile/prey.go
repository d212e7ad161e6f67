package hostile

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/sides"
	"insurance.example/exchange/pkg/rest"
)

// prey holds the ids of the records that hostile requests are about.
type prey struct {
	// Vehicle is a vehicle of large size, Property a property of large size, Policy a policy, Claim a claim of the
	// greatest size, Events a vehicle with many large former versions, Small a vehicle of usual size, and Holder a
	// person.
	Vehicle, Property, Policy, Claim, Events, Small, Holder string
	// Properties are properties of usual size, as many as a list has elements at most.
	Properties []string
}

// mostOfKind is the number of large records of a resource: those of one page, as many as a caller can ask for.
const mostOfKind = 200

// prepare makes the records through the interface, count of each kind.
func prepare(ctx context.Context, e *sides.Exchange, written *records.Book, count int) (*prey, error) {
	p := &prey{Small: written.Vehicles[0]}
	m := maker{ctx: ctx, client: e.Client}
	p.Holder = m.create("personal", records.NewPerson())
	p.Vehicle = m.create("vehicle", padded())
	p.Property = m.create("property", padded(`"propertyType":"Farm"`))
	for range count {
		m.create("business", padded())
	}
	for range count * longestList / mostOfKind {
		p.Properties = append(p.Properties, m.create("property", records.NewProperty()))
	}
	// Records under a kilobyte whose last event is large.
	driver := m.create("driver", records.NewDriver())
	for range count {
		p.Policy = m.create("motorCoverage", records.NewPolicy(p.Holder, m.create("vehicle", records.NewVehicle()),
			driver))
		m.send(load.Call{Method: http.MethodPost, Path: "/motorCoverage/" + p.Policy + ":cancel", Body: padded()})
	}
	p.Policy = m.create("motorCoverage", records.NewPolicy(p.Holder, p.Vehicle, driver))
	p.Events = m.create("vehicle", records.NewVehicle())
	const versions = 40
	for n := range versions {
		m.send(load.Call{Method: http.MethodPut, Path: "/vehicle/" + p.Events,
			Body: padded(fmt.Sprintf(`"vin":"%d"`, n))})
	}
	p.Claim = m.create("claim", records.NewClaim(written.Policies[0]))
	const part = 128 << 10
	for n := range rest.UsualRecord/part - 1 {
		m.send(load.Call{Method: http.MethodPut, Path: "/claim/" + p.Claim,
			Body: paddedAs(fmt.Sprintf("part%d-", n), part)})
	}
	return p, m.err
}

// maker makes requests until one fails.
type maker struct {
	ctx    context.Context
	client *load.Client
	err    error
}

func (m *maker) create(resource string, body []byte) (id string) {
	if m.failed() {
		return ""
	}
	made, err := m.client.Create(resource, body)
	m.err = err
	return made["id"]
}

func (m *maker) send(to load.Call) {
	if m.failed() {
		return
	}
	response, err := m.client.Send(to)
	if m.err = err; err == nil && response.StatusCode() != http.StatusOK {
		m.err = fmt.Errorf("%s %s: status %d: %.300s", to.Method, to.Path, response.StatusCode(), response.Body())
	}
}

func (m *maker) failed() bool {
	if m.err == nil && m.ctx.Err() != nil {
		m.err = errors.New("interrupted")
	}
	return m.err != nil
}

// unknownIDs returns ids that no record has.
func unknownIDs(count int) []string {
	ids := make([]string, count)
	for i := range ids {
		ids[i] = uuid.NewString()
	}
	return ids
}
