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
		{
			Name: "POST /receipt", Route: "/receipt", Status: http.StatusCreated, Target: 0.25, Await: awaitRows,
			Call: func(n uint64) load.Call {
				return load.Call{Method: http.MethodPost, Path: "/receipt", Body: records.NewReceipt(load.Pick(b.Policies, n))}
			},
		},
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
		Call: func(uint64) load.Call {
			return load.Call{Method: http.MethodPost, Path: "/vehicle", Body: records.NewVehicle()}
		},
	}
}

func createClaim(b *records.Book) *load.Row {
	return &load.Row{
		Name: "POST /claim", Route: "/claim", Status: http.StatusCreated, Target: 0.2,
		Call: func(n uint64) load.Call {
			return load.Call{Method: http.MethodPost, Path: "/claim", Body: records.NewClaim(load.Pick(b.Policies, n))}
		},
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

// pocketBaseTarget is how many times the rate of PocketBase the exchange is to reach.
const pocketBaseTarget = 4

// pocketBaseRowsOf returns the rows in which the exchange is compared with PocketBase.
func pocketBaseRowsOf(b *records.Book) []*load.Row {
	all := []*load.Row{createVehicle(), readVehicle(b), listVehicles(b)}
	for _, r := range all {
		r.Target = pocketBaseTarget
	}
	return all
}
