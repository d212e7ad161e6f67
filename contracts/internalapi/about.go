package internalapi

// AboutPath is an operation of every service that keeps something: GET: About.
const AboutPath = Prefix + "/about"

// About is what a service says about itself.
//
// The build of a service, and its settings that callers may learn.
type About struct {
	// The version of the release, unknown where the build has none.
	Version string `json:"version"`
	// The revision of the repository, unknown where the build has none.
	Commit string `json:"commit"`
	// The settings, in the order of their names.
	Settings []Setting `json:"settings"`
}

// Setting is a setting in force.
//
// A setting, and the value that is in force.
type Setting struct {
	// The name, which is also the name of the flag.
	Name string `json:"name"`
	// The value. Absent for a setting that is not given and has no usual value: what it is about is off.
	Value string `json:"value,omitzero"`
}
