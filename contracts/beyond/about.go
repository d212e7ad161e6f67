package beyond

// About is the response of GET /x/about.
//
// The processes that serve the exchange, with the settings in force that callers notice. Of several replicas one is
// asked.
type About struct {
	// The gateway, and the services in the order in which they start.
	Processes []AboutProcess `json:"processes"`
	// The names of the services that do not respond.
	Unavailable []string `json:"unavailable,omitempty"`
}

// AboutProcess is what a service says about itself, also to the gateway.
//
// What a process of the exchange is.
type AboutProcess struct {
	// The name of the service; gateway for the gateway.
	Name string `json:"name"`
	// The version of its release, or unknown.
	Version string `json:"version"`
	// The commit that it was built from, or unknown.
	Commit string `json:"commit"`
	// The settings in force that callers notice. Others are not shown.
	Settings []AboutSetting `json:"settings"`
}

// AboutSetting is a setting of a process.
//
// A setting and its value.
type AboutSetting struct {
	// The name of the setting.
	Name string `json:"name"`
	// The value. Absent if the setting is not given: then means says what holds.
	Value string `json:"value,omitempty"`
	// What the setting is, and what holds if it is not given.
	Means string `json:"means"`
}
