package beyond

import "insurance.example/exchange/contracts/scalar"

// About is the response of GET /x/about.
//
// What runs here: builds, bounds, and the settings in force that a caller can notice.
type About struct {
	// The version of the release, unknown where the build has none.
	Version string `json:"version"`
	// The revision of the repository, unknown where the build has none.
	Commit string `json:"commit"`
	// The present instant of the exchange, in UTC. A test clock stands still; then every response has the header
	// Exchange-Test-Clock.
	Now scalar.DateTime `json:"now"`
	// The unit of amounts, major (pounds, euros) or minor (pence, cents). Absent if the operator has not said it.
	AmountUnit string `json:"amountUnit,omitzero"`
	// The currency of amounts, as an ISO 4217 code. Absent if the operator has not said it.
	Currency string `json:"currency,omitzero"`
	// The time zone in which the exchange counts days and months, as a name of the IANA database or UTC. Instants are
	// in UTC all the same. Absent if no service says it.
	TimeZone string `json:"timeZone,omitzero"`
	// Whether organisations share the exchange, so that a policy has an access list.
	Organisations bool `json:"organisations"`
	// The bounds that hold for every exchange of this version.
	Bounds AboutBounds `json:"bounds"`
	// The services, with the settings of each.
	Services []AboutService `json:"services"`
	// The names of the services that are left out because they do not respond, or are of a release that does not say
	// it.
	Unavailable []string `json:"unavailable,omitempty"`
}

// AboutBounds are bounds that no setting moves.
//
// Bounds that no setting moves.
type AboutBounds struct {
	// The most records or events of a page (limit).
	PageLength int64 `json:"pageLength"`
	// The most operations of a batch.
	BatchOperations int64 `json:"batchOperations"`
	// The greatest length of an Idempotency-Key, in bytes.
	IdempotencyKeyLength int64 `json:"idempotencyKeyLength"`
	// The most records of a part of a policy as a whole.
	PolicyPartLength int64 `json:"policyPartLength"`
}

// AboutService is a service of the exchange.
//
// A service, the build that runs, and its settings.
type AboutService struct {
	// The name of the service.
	Name string `json:"name"`
	// The version of the release, unknown where the build has none.
	Version string `json:"version"`
	// The revision of the repository, unknown where the build has none.
	Commit string `json:"commit"`
	// The settings that a caller can notice, in the order of their names.
	Settings []AboutSetting `json:"settings"`
}

// AboutSetting is a setting in force.
//
// A setting, and the value that is in force.
type AboutSetting struct {
	// The name, as exchange run --help describes it.
	Name string `json:"name"`
	// The value. Absent for a setting that is not given and has no usual value: the rule that it is about is off.
	Value string `json:"value,omitzero"`
}
