package book

import "fmt"

// line is a line of insurance, and how its policies are made.
type line struct {
	resource string
	// perils is the member that lists what a policy of the line covers, or "" if the line has no such member.
	perils string
	// company is true if the policyholder is a company, and false if it is a person.
	company bool
	// write creates what the i-th policy insures, and returns the members that only policies of this line have.
	write func(c *chain, i int, p Record) Record
	// amend returns the members of an endorsement that adds cover. It is nil if a policy of the line can only be
	// extended.
	amend func(c *chain, p Record) Record
}

// A dog needs a breed. The document does not list the breeds, because those of other pets are not checked.
const (
	dog      = "dog"
	dogBreed = "Beagle"
)

var lines = []line{
	{
		resource: "motorCoverage", perils: "perils",
		write: func(c *chain, i int, p Record) Record {
			vehicle := c.create("vehicle", Record{
				"plateNumber": fmt.Sprintf("EX %d%04d", c.Seed, i), "vin": fmt.Sprintf("SEED%03d%010d", c.Seed%1000, i),
				"physical": Record{
					"doors": 3 + c.rng.IntN(3), "colour": pick(c.rng, []string{"blue", "red", "silver", "green"}),
				},
			})
			driver := c.create("driver", Record{
				"name": pick(c.rng, firstNames) + " " + pick(c.rng, lastNames), "driverDOB": c.birth(),
				"isPrimaryDriver": true,
				"licence": Record{
					"licenceNumber": c.number("L", i), "country": "GB", "expiryDate": "2099-12-31",
				},
			})
			return Record{
				"vehicleId": vehicle["id"], "driverId": driver["id"], "perils": c.some("motorCoverage", "perils", 4),
				"indemnityLimitPolicy": between(c.rng, 10, 50, 5) * 1000,
			}
		},
		amend: func(c *chain, p Record) Record {
			return Record{"indemnityLimitPolicy": between(c.rng, 55, 90, 5) * 1000}
		},
	},
	{
		resource: "cyberLiabilityCoverage", perils: "scope", company: true,
		write: func(c *chain, i int, p Record) Record {
			business := c.create("business", Record{
				"businessSector": pick(c.rng, trades), "grossAnnualTurnover": between(c.rng, 2, 90, 1) * 100000,
				"numberOfEmployees": between(c.rng, 3, 240, 1), "itStaff": between(c.rng, 1, 12, 1),
				"dataSharing": c.rng.IntN(2) == 0,
			})
			return Record{
				"businessId": business["id"], "scope": c.some("cyberLiabilityCoverage", "scope", 5),
				"indemnityLimitPolicy": between(c.rng, 1, 20, 1) * 250000,
			}
		},
		amend: func(c *chain, p Record) Record {
			return Record{"indemnityLimitPolicy": between(c.rng, 6, 12, 1) * 1000000}
		},
	},
	{
		resource: "propertyCoverage", perils: "perils",
		write: func(c *chain, i int, p Record) Record {
			return Record{
				"propertyId": c.property()["id"], "perils": c.some("propertyCoverage", "perils", 6),
				"isAgreedValue":            c.rng.IntN(2) == 0,
				"indemnityLimitPolicy":     between(c.rng, 10, 80, 5) * 10000,
				"deductibleAmountBuilding": between(c.rng, 250, 1000, 250),
				"deductibleAmountContent":  between(c.rng, 100, 500, 100),
			}
		},
		amend: func(c *chain, p Record) Record { return Record{"deductibleAmountContent": 0} },
	},
	{
		resource: "tradeCreditCoverage", perils: "perils", company: true,
		write: func(c *chain, i int, p Record) Record {
			debtor := c.create("debtor", Record{
				"name": pick(c.rng, lastNames) + " Imports (fictional)", "registrationNumber": c.number("D", i),
				"ultimateParentCompany": pick(c.rng, lastNames) + " Holdings",
				"legalForm":             c.any("debtor", "legalForm"),
				"netAssets":             between(c.rng, 1, 60, 1) * 100000, "annualizedTurnover": between(c.rng, 2, 90,
					1) * 100000, "creditRating": pick(c.rng, []string{"A", "BBB", "BB"}),
			})
			return Record{
				"debtorId": debtor["id"], "tradeCreditType": c.any("tradeCreditCoverage", "tradeCreditType"),
				"perils": c.some("tradeCreditCoverage", "perils", 3), "creditLimit": between(c.rng, 5, 50, 5) * 10000,
				"creditLimitUtilized": between(c.rng, 0, 4, 1) * 10000,
				"maxCreditPeriod":     pick(c.rng, []int{30, 60, 90}), "waitingPeriod": 30,
			}
		},
		amend: func(c *chain, p Record) Record { return Record{"creditLimit": between(c.rng, 60, 90, 5) * 10000} },
	},
	{
		resource: "businessInterruptionCoverage", perils: "perils", company: true,
		write: func(c *chain, i int, p Record) Record {
			return Record{
				"propertyRef": c.property()["id"], "type": c.any("businessInterruptionCoverage", "type"),
				"perils":            c.some("businessInterruptionCoverage", "perils", 6),
				"grossAnnualProfit": between(c.rng, 1, 40, 1) * 50000,
				"IndemnityPeriod":   pick(c.rng, []int{6, 12, 18, 24}), "deductible": between(c.rng, 500, 5000, 500),
			}
		},
		amend: func(c *chain, p Record) Record { return Record{"IndemnityPeriod": 36} },
	},
	{
		resource: "petCoverage", perils: "benefits",
		write: func(c *chain, i int, p Record) Record {
			pet := Record{
				"petName": pick(c.rng, petNames), "petKind": c.any("pet", "petKind"),
				"age": between(c.rng, 5, 120, 5) / 10, "purebred": c.rng.IntN(2) == 0,
			}
			if pet["petKind"] == dog {
				pet["petBreed"] = dogBreed
			}
			return Record{
				"petId": c.create("pet", pet)["id"], "benefits": c.some("petCoverage", "benefits", 3),
				"annualReimbursementLimit": between(c.rng, 1000, 9000, 500), "waitingPeriod": 14,
				"preexistingConditions": false,
			}
		},
		amend: func(c *chain, p Record) Record { return Record{"annualReimbursementLimit": 12000} },
	},
	{
		resource: "travelCoverage",
		write: func(c *chain, i int, p Record) Record {
			traveller := c.create("traveller", Record{
				"firstName": pick(c.rng, firstNames), "lastName": pick(c.rng, lastNames), "dob": c.birth(),
				"nationality": pick(c.rng, towns).country,
				"idType":      c.any("traveller", "idType"),
			})
			return Record{
				"travellerIds": []any{traveller["id"]}, "destination": pick(c.rng, []int{250, 276, 372, 380, 392, 756}),
				"isAnnualPolicy": true,
				"isGroup":        false, "length": between(c.rng, 10, 30, 1), "emergencyMedical": between(c.rng, 1, 10,
					1) * 50000, "tripCancellation": between(c.rng, 1, 10, 1) * 500,
			}
		},
	},
}

func (c *chain) property() Record {
	return c.create("property", Record{
		"address": c.address(), "propertyType": c.any("property", "propertyType"), "wall": c.any("property", "wall"),
		"roof":               c.any("property", "roof"),
		"sumInsuredBuilding": between(c.rng, 15, 95, 5) * 10000, "sumInsuredContent": between(c.rng, 2, 20, 1) * 5000,
	})
}
