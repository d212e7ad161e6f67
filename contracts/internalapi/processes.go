package internalapi

// Process is a process of the exchange.
type Process struct {
	Name string
	// Calls are the services that it calls.
	Calls []string
}

// Gateway is the name of the process that callers reach.
const Gateway = "gateway"

// Processes returns the processes of the exchange in the order in which they start: each service after those that it
// calls, and then the gateway, which calls all of them.
func Processes() []Process {
	return []Process{
		{Name: "parties"},
		{Name: "products"},
		{Name: "coverage", Calls: []string{"parties"}},
		{Name: "claims", Calls: []string{"coverage"}},
		{Name: "premium", Calls: []string{"coverage", "claims"}},
		{Name: Gateway, Calls: []string{"parties", "products", "coverage", "claims", "premium"}},
	}
}
