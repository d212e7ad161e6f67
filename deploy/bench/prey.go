package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"
)

// prey holds the ids of the records that hostile requests are about.
type prey struct {
	// Vehicle is a vehicle of large size, Property a property of large size, Policy a policy, Claim a claim of several times that size,
	// Events a vehicle with many large former versions, Small a vehicle of usual size, and Holder a person.
	Vehicle, Property, Policy, Claim, Events, Small, Holder string
	// Properties are properties of usual size, as many as a list has elements at most.
	Properties []string
}

// mostOfKind is the number of large records of a resource: those of one page, as many as a caller can ask for.
const mostOfKind = 200

// prepare makes the records through the interface, count of each kind.
func prepare(ctx context.Context, e *runningExchange, written *book, count int) (*prey, error) {
	p := &prey{Small: written.vehicles[0]}
	m := maker{ctx: ctx, client: e.client}
	p.Holder = m.create("personal", newPerson())
	p.Vehicle = m.create("vehicle", padded())
	p.Property = m.create("property", padded(`"propertyType":"Farm"`))
	for range count {
		m.create("business", padded())
	}
	for range count * longestList / mostOfKind {
		p.Properties = append(p.Properties, m.create("property", newProperty()))
	}
	// Records under a kilobyte whose last event is large.
	driver := m.create("driver", newDriver())
	for range count {
		p.Policy = m.create("motorCoverage", newPolicy(p.Holder, m.create("vehicle", newVehicle()), driver))
		m.send(call{http.MethodPost, "/motorCoverage/" + p.Policy + ":cancel", padded()})
	}
	p.Policy = m.create("motorCoverage", newPolicy(p.Holder, p.Vehicle, driver))
	p.Events = m.create("vehicle", newVehicle())
	const versions = 40
	for n := range versions {
		m.send(call{http.MethodPut, "/vehicle/" + p.Events, padded(fmt.Sprintf(`"vin":"%d"`, n))})
	}
	p.Claim = m.create("claim", newClaim(written.policies[0]))
	const parts = 6
	for n := range parts {
		m.send(call{http.MethodPut, "/claim/" + p.Claim, paddedAs(fmt.Sprintf("part%d-", n))})
	}
	return p, m.err
}

// maker makes requests until one fails.
type maker struct {
	ctx    context.Context
	client *client
	err    error
}

func (m *maker) create(resource string, body []byte) (id string) {
	if m.failed() {
		return ""
	}
	made, err := m.client.create(resource, body)
	m.err = err
	return made["id"]
}

func (m *maker) send(to call) {
	if m.failed() {
		return
	}
	var request fasthttp.Request
	var response fasthttp.Response
	if m.err = m.client.send(to, &request, &response); m.err == nil && response.StatusCode() != http.StatusOK {
		m.err = fmt.Errorf("%s %s: status %d: %.300s", to.method, to.path, response.StatusCode(), response.Body())
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
