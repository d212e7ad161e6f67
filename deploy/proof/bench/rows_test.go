package bench

import (
	"net/http"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// row is a kind of request.
type row struct {
	name   string
	route  string // of Gin
	status int
	// least is the part of the bare handler's rate that it is to reach; 0 for none.
	least float64
	call  func(k *book, n uint64) vegeta.Target
}

// get returns the calls that read a path with one of the names at its end.
func get(path string, names func(*book) []string) func(*book, uint64) vegeta.Target {
	return func(k *book, n uint64) vegeta.Target {
		return vegeta.Target{Method: http.MethodGet, URL: path + pick(names(k), n)}
	}
}

// post returns the calls that send a body.
func post(path string, body func(k *book, n uint64) []byte) func(*book, uint64) vegeta.Target {
	return func(k *book, n uint64) vegeta.Target {
		return vegeta.Target{Method: http.MethodPost, URL: path, Body: body(k, n)}
	}
}

// pick returns the nth of the names in a mixed order, so that consecutive calls are about distant records in the
// store.
func pick(names []string, n uint64) string { return names[n*7919%uint64(len(names))] }

func vehiclesOf(k *book) []string { return k.vehicles }
func policiesOf(k *book) []string { return k.policies }
func pagesOf(k *book) []string    { return k.pages }

var (
	getVehicle = &row{"GET /vehicle/{id}", "/vehicle/:id", http.StatusOK, 0.6, get("/vehicle/", vehiclesOf)}
	findClaim  = &row{"GET /claim?policyNumber=", "/claim", http.StatusOK, 0.45,
		get("/claim?policyNumber=", policiesOf)}
	findPolicy = &row{"GET /motorCoverage?policyNumber=", "/motorCoverage", http.StatusOK, 0.45,
		get("/motorCoverage?policyNumber=", policiesOf)}
	searchPolicy = &row{"GET /x/search/motorCoverage?policyNumber=", "/x/search/motorCoverage", http.StatusOK, 0,
		get("/x/search/motorCoverage?policyNumber=", policiesOf)}
	listVehicles = &row{"GET /vehicle?limit=50", "/vehicle", http.StatusOK, 0.4, get("/vehicle?", pagesOf)}
	postVehicle  = &row{"POST /vehicle", "/vehicle", http.StatusCreated, 0.35,
		post("/vehicle", func(*book, uint64) []byte { return newVehicle() })}
	postPolicy = &row{"POST /motorCoverage", "/motorCoverage", http.StatusCreated, 0,
		post("/motorCoverage", func(k *book, n uint64) []byte { return newPolicy(k, pick(k.vehicles, n)) })}
	postClaim = &row{"POST /claim", "/claim", http.StatusCreated, 0.2,
		post("/claim", func(k *book, n uint64) []byte { return newClaim(pick(k.policies, n)) })}
	postReceipt = &row{"POST /receipt", "/receipt", http.StatusCreated, 0.25,
		post("/receipt", func(k *book, n uint64) []byte { return newReceipt(pick(k.policies, n)) })}
)

var (
	// rows are compared with the bare handler, reads with it before and after a load of records, and writes with
	// another build.
	rows   = []*row{getVehicle, findClaim, listVehicles, postVehicle, postPolicy, postClaim, postReceipt}
	reads  = []*row{getVehicle, findPolicy, listVehicles, searchPolicy}
	writes = []*row{postVehicle, postPolicy, postClaim, postReceipt}
)
