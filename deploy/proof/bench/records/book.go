// Package records has the records that requests are about: their bodies, those that are written through the
// interface, and copies of these that are loaded straight into a store.
package records

import (
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// Book has the records of the exchange that the calls of the rows are about.
type Book struct {
	Vehicles []string // ids
	Policies []string // policy numbers
	PolicyID string   // of the first policy
	Pages    []string // queries of lists of 50 vehicles
	Holder   string   // id of the policyholder of all policies
	Identity string   // number of the passport of that policyholder
	Driver   string   // id of their driver
}

// Write creates a book of that many policies through the interface. Each has a different vehicle and one claim.
func Write(c *load.Client, policies, connections int) (*Book, error) {
	holder, err := c.Create("personal", NewPerson())
	if err != nil {
		return nil, err
	}
	driver, err := c.Create("driver", NewDriver())
	if err != nil {
		return nil, err
	}
	b := &Book{Vehicles: make([]string, policies), Policies: make([]string, policies), Pages: []string{"limit=50"},
		Holder: holder["id"], Identity: holder["idNumber"], Driver: driver["id"]}
	var creates errgroup.Group
	creates.SetLimit(connections)
	for i := range policies {
		creates.Go(func() error {
			vehicle, err := c.Create("vehicle", NewVehicle())
			if err != nil {
				return err
			}
			policy, err := c.Create("motorCoverage", NewPolicy(holder["id"], vehicle["id"], driver["id"]))
			if err != nil {
				return err
			}
			b.Vehicles[i], b.Policies[i] = vehicle["id"], policy["policyNumber"]
			if i == 0 {
				b.PolicyID = policy["id"]
			}
			_, err = c.Create("claim", NewClaim(b.Policies[i]))
			return err
		})
	}
	return b, creates.Wait()
}
