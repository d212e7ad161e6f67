package coverage

import (
	"context"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// motor declares motorCoverage. Its checks are the rows of POST /motorCoverage in the errors table.
func motor(
	e *environment, vehicles *rest.Records[*objects.Vehicle], drivers *rest.Records[*objects.Driver],
) line[*coverage.Motor] {
	driver := rest.Referenced("driverId", func(m *coverage.Motor) string {
		return string(m.DriverID)
	}, drivers, problems.DriverNotFound)
	driver.MissingAs = problems.LicenceExpired
	return line[*coverage.Motor]{
		name:    "motorCoverage",
		aliases: map[string]string{"premium": "grossWrittenPremium"},
		search: []search.Field{
			search.ID("vehicleId").LeadsBy(insuredIndex), search.ID("driverId"), search.Number("grossWrittenPremium"),
			search.Number("indemnityLimitPolicy"),
		},
		expand: []search.Expansion{search.Expand("vehicle", "vehicleId"), search.Expand("driver", "driverId")},
		checks: []rest.Check[*coverage.Motor]{
			policyholderExists[*coverage.Motor](e),
			rest.RefersTo("vehicle does not exist", "vehicleId",
				func(m *coverage.Motor) string { return string(m.VehicleID) }, vehicles, problems.VehicleNotFound),
			{
				Name: "driver missing, or licence expired or missing", DependsOn: []string{"driverId"},
				Requires: []string{"driverId"}, MissingAs: problems.LicenceExpired,
				Refuses: []problem.Kind{problems.LicenceExpired, problems.DriverNotFound}, Run: e.licensed(driver),
			},
			termInOrder[*coverage.Motor](datesRequired),
			rest.EachIn("a peril is not in the motorPeril enumeration", "perils", valuesets.MotorPeril, e.sets,
				func(m *coverage.Motor) []string { return m.Perils }, problems.UnknownPerilCode),
		},
		covers:   func(m *coverage.Motor) []string { return m.Perils },
		causeSet: valuesets.MotorPeril,
		limit:    func(m *coverage.Motor) *scalar.Int { return m.IndemnityLimitPolicy },
	}
}

// licensed returns the check that the driver exists and has a licence that has not expired. The licence must have an
// expiryDate that is not before today.
func (e *environment) licensed(
	driver *rest.Fact[*coverage.Motor, *objects.Driver],
) func(context.Context, *rest.Draft[*coverage.Motor]) error {
	return func(ctx context.Context, d *rest.Draft[*coverage.Motor]) error {
		of, err := driver.Of(ctx, d)
		if err != nil {
			return err
		}
		switch licence := of.Licence; {
		case licence == nil:
			return problem.New(problems.LicenceExpired, "The driver has no licence.").
				At("/driverId", "names a driver without licence")
		case licence.ExpiryDate == "":
			return problem.New(problems.LicenceExpired, "The driver's licence has no expiryDate.").
				At("/driverId", "names a driver whose licence has no expiryDate")
		case licence.ExpiryDate < scalar.DateOf(d.Now, e.zone):
			return problem.New(problems.LicenceExpired,
				"The driver's licence expired on "+string(licence.ExpiryDate)+".").
				At("/driverId", "names a driver whose licence has expired")
		}
		return nil
	}
}
