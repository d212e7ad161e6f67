package coverage

import (
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/pkg/rest"
)

// vehicle declares what a motor policy insures.
func vehicle() rest.Resource[objects.Vehicle] {
	return rest.Resource[objects.Vehicle]{Name: "vehicle"}
}

// driver declares whom a motor policy covers.
func driver() rest.Resource[objects.Driver] {
	return rest.Resource[objects.Driver]{
		Name:    "driver",
		Aliases: map[string]string{"dob": "driverDOB"},
	}
}
