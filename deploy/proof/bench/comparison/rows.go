package comparison

import (
	"net/http"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/records"
)

// rowsOf returns the rows of the table, reads first, on a book.
func rowsOf(b *records.Book) []*load.Row {
	return []*load.Row{
		readVehicle(b),
		findClaim(b),
		listVehicles(b),
		createVehicle(),
		createClaim(b),
		createReceipt(b),
	}
}

// separateRowsOf returns the rows that are measured with separate processes.
func separateRowsOf(b *records.Book) []*load.Row {
	return []*load.Row{readVehicle(b), createVehicle(), createClaim(b)}
}

// readsOf returns the rows that are measured before and after a load of vehicles and policies.
func readsOf(b *records.Book) []*load.Row {
	return []*load.Row{
		readVehicle(b),
		{
			Name: "GET /motorCoverage?policyNumber=", Route: "/motorCoverage", Status: http.StatusOK,
			Call: load.Get(b.Policies, "/motorCoverage?policyNumber="),
		},
		listVehicles(b),
		{
			Name: "GET /x/search/motorCoverage?policyNumber=", Route: "/x/search/motorCoverage", Status: http.StatusOK,
			Call: load.Get(b.Policies, "/x/search/motorCoverage?policyNumber="),
		},
		{
			Name: "GET /x/search/motorCoverage?limit=50", Route: "/x/search/motorCoverage", Status: http.StatusOK,
			Call: load.Get([]string{"order=oldest", "order=newest"}, "/x/search/motorCoverage?limit=50&"),
		},
		{
			// All policies are in the range.
			Name: "GET /x/search/coverage?expiryDateFrom=", Route: "/x/search/coverage", Status: http.StatusOK,
			Call: load.Get([]string{"order=oldest", "order=newest"},
				"/x/search/coverage?limit=50&expiryDateFrom=2000-01-01&"),
		},
	}
}

func readVehicle(b *records.Book) *load.Row {
	return &load.Row{
		Name: "GET /vehicle/{id}", Route: "/vehicle/:id", Status: http.StatusOK, Target: 0.6,
		Call: load.Get(b.Vehicles, "/vehicle/"),
	}
}

func findClaim(b *records.Book) *load.Row {
	return &load.Row{
		Name: "GET /claim?policyNumber=", Route: "/claim", Status: http.StatusOK, Target: 0.45,
		Call: load.Get(b.Policies, "/claim?policyNumber="),
	}
}

func listVehicles(b *records.Book) *load.Row {
	return &load.Row{
		Name: "GET /vehicle?limit=50", Route: "/vehicle", Status: http.StatusOK, Target: 0.4,
		Call: load.Get(b.Pages, "/vehicle?"),
	}
}

func createVehicle() *load.Row {
	return &load.Row{
		Name: "POST /vehicle", Route: "/vehicle", Status: http.StatusCreated, Target: 0.35,
		Call: load.Post("/vehicle", func(uint64) []byte { return records.NewVehicle() }),
	}
}

func createClaim(b *records.Book) *load.Row {
	return &load.Row{
		Name: "POST /claim", Route: "/claim", Status: http.StatusCreated, Target: 0.2,
		Call: load.Post("/claim", func(n uint64) []byte { return records.NewClaim(load.Pick(b.Policies, n)) }),
	}
}

func createReceipt(b *records.Book) *load.Row {
	return &load.Row{
		Name: "POST /receipt", Route: "/receipt", Status: http.StatusCreated, Target: 0.25, Await: AwaitRows,
		Call: load.Post("/receipt", func(n uint64) []byte { return records.NewReceipt(load.Pick(b.Policies, n)) }),
	}
}

// mongoTarget is the part of the driver's rate that each row on MongoDB is to reach.
const mongoTarget = 0.6

// mongoRowsOf returns the rows that are measured on MongoDB.
func mongoRowsOf(b *records.Book) []*load.Row {
	all := []*load.Row{readVehicle(b), findClaim(b), listVehicles(b), createVehicle(), createClaim(b)}
	for _, r := range all {
		r.Target = mongoTarget
	}
	return all
}
