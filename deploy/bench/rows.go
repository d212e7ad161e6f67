package main

import (
	"net/http"
)

// rowsOf returns the rows of the table, reads first, on a book.
func rowsOf(b *book) []*row {
	return []*row{
		readVehicle(b),
		findClaim(b),
		listVehicles(b),
		createVehicle(),
		createClaim(b),
		{
			name: "POST /receipt", route: "/receipt", status: http.StatusCreated, target: 0.25, await: awaitRows,
			call: func(n uint64) call { return call{http.MethodPost, "/receipt", newReceipt(pick(b.policies, n))} },
		},
	}
}

// separateRowsOf returns the rows that are measured with separate processes.
func separateRowsOf(b *book) []*row { return []*row{readVehicle(b), createVehicle(), createClaim(b)} }

// readsOf returns the rows that are measured before and after a load of vehicles and policies.
func readsOf(b *book) []*row {
	return []*row{
		readVehicle(b),
		{
			name: "GET /motorCoverage?policyNumber=", route: "/motorCoverage", status: http.StatusOK,
			call: get(b.policies, "/motorCoverage?policyNumber="),
		},
		listVehicles(b),
	}
}

func readVehicle(b *book) *row {
	return &row{
		name: "GET /vehicle/{id}", route: "/vehicle/:id", status: http.StatusOK, target: 0.6,
		call: get(b.vehicles, "/vehicle/"),
	}
}

func findClaim(b *book) *row {
	return &row{
		name: "GET /claim?policyNumber=", route: "/claim", status: http.StatusOK, target: 0.45,
		call: get(b.policies, "/claim?policyNumber="),
	}
}

func listVehicles(b *book) *row {
	return &row{
		name: "GET /vehicle?limit=50", route: "/vehicle", status: http.StatusOK, target: 0.4,
		call: get(b.pages, "/vehicle?"),
	}
}

func createVehicle() *row {
	return &row{
		name: "POST /vehicle", route: "/vehicle", status: http.StatusCreated, target: 0.35,
		call: func(uint64) call { return call{http.MethodPost, "/vehicle", newVehicle()} },
	}
}

func createClaim(b *book) *row {
	return &row{
		name: "POST /claim", route: "/claim", status: http.StatusCreated, target: 0.2,
		call: func(n uint64) call { return call{http.MethodPost, "/claim", newClaim(pick(b.policies, n))} },
	}
}

// mongoTarget is the part of the driver's rate that each row on MongoDB is to reach.
const mongoTarget = 0.6

// mongoRowsOf returns the rows that are measured on MongoDB.
func mongoRowsOf(b *book) []*row {
	all := []*row{readVehicle(b), findClaim(b), listVehicles(b), createVehicle(), createClaim(b)}
	for _, r := range all {
		r.target = mongoTarget
	}
	return all
}

// pocketBaseTarget is how many times the rate of PocketBase the exchange is to reach.
const pocketBaseTarget = 4

// pocketBaseRowsOf returns the rows in which the exchange is compared with PocketBase.
func pocketBaseRowsOf(b *book) []*row {
	all := []*row{createVehicle(), readVehicle(b), listVehicles(b)}
	for _, r := range all {
		r.target = pocketBaseTarget
	}
	return all
}
