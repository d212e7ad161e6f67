package internalapi

// Process is a process of the exchange.
type Process struct {
	Name string
	// Calls are the services that it calls.
	Calls []string
	// Storeless says that it keeps no records.
	Storeless bool
}

// Gateway is the name of the process that callers reach.
const Gateway = "gateway"

// Processes returns the processes of the exchange in the order in which they start: each service after those that it
// calls, and then the gateway, which calls all of them.
func Processes() []Process {
	return append(services(), Process{Name: Gateway, Calls: Services(), Storeless: true})
}

// services returns the services, each after those that it calls. Manifests and tests are derived from this list
// (make generate).
func services() []Process {
	return []Process{
		{Name: "parties"},
		{Name: "products"},
		{Name: "coverage", Calls: []string{"parties"}},
		{Name: "claims", Calls: []string{"coverage"}},
		{Name: "premium", Calls: []string{"coverage", "claims"}},
		{Name: "desk", Calls: Recorded()},
		{Name: "feed", Calls: Logged()},
		{Name: "book", Calls: Booked(), Storeless: true},
		{Name: "composite", Calls: append(Logged(), "feed"), Storeless: true},
	}
}

// Recorded returns the names of the services that have records of the interface, each after those that it calls.
func Recorded() []string { return []string{"parties", "products", "coverage", "claims", "premium"} }

// Logged returns the names of the services that offer their log of changes, each after those that it calls.
func Logged() []string { return append(Recorded(), "desk") }

// Booked returns the names of the services that the book reads, each after those that it calls.
func Booked() []string { return []string{"parties", "coverage", "claims", "premium", "desk"} }

// Stored returns the names of the services that keep records, and so have a database.
func Stored() []string {
	var names []string
	for _, s := range services() {
		if !s.Storeless {
			names = append(names, s.Name)
		}
	}
	return names
}

// Services returns the names of the services, in the order in which they start.
func Services() []string {
	var names []string
	for _, s := range services() {
		names = append(names, s.Name)
	}
	return names
}
