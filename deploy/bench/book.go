package main

import "golang.org/x/sync/errgroup"

// book holds the records of the exchange to which the calls of the rows refer.
type book struct {
	vehicles []string // ids
	policies []string // policy numbers
	pages    []string // queries of lists of 50 vehicles
}

// write creates a book of that many policies through the interface. Each has a different vehicle and one claim.
func write(c *client, policies, connections int) (*book, error) {
	holder, err := c.create("personal", newPerson())
	if err != nil {
		return nil, err
	}
	driver, err := c.create("driver", newDriver())
	if err != nil {
		return nil, err
	}
	b := &book{vehicles: make([]string, policies), policies: make([]string, policies), pages: []string{"limit=50"}}
	var creates errgroup.Group
	creates.SetLimit(connections)
	for i := range policies {
		creates.Go(func() error {
			vehicle, err := c.create("vehicle", newVehicle())
			if err != nil {
				return err
			}
			policy, err := c.create("motorCoverage", newPolicy(holder["id"], vehicle["id"], driver["id"]))
			if err != nil {
				return err
			}
			b.vehicles[i], b.policies[i] = vehicle["id"], policy["policyNumber"]
			_, err = c.create("claim", newClaim(b.policies[i]))
			return err
		})
	}
	return b, creates.Wait()
}
