package process

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// version and commit are set by the linker (-X insurance.example/exchange/pkg/process.version=...); they are empty in
// a plain go build.
var version, commit string

// Build describes the build of this program. What is not known is "unknown".
type Build struct {
	// Version is the version of the release, else what the go command derives from the repository.
	Version string
	// Commit is the revision of the repository.
	Commit string
	// Go is the version of Go, such as go1.26.1.
	Go string
}

// CurrentBuild returns the build of this program.
func CurrentBuild() Build {
	b := Build{Version: version, Commit: commit, Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && b.Commit == "" {
				b.Commit = s.Value
			}
		}
	}
	b.Version, b.Commit = cmp.Or(b.Version, "unknown"), cmp.Or(b.Commit, "unknown")
	return b
}

// String returns the build as --version prints it after the name of the program.
func (b Build) String() string { return b.Version + " (commit " + b.Commit + ", " + b.Go + ")" }

// registerBuild exports the build as a metric whose value is always 1.
func registerBuild(registerer prometheus.Registerer) {
	b := CurrentBuild()
	registerer.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_build_info", Help: "The build of the process, in its labels. The value is always 1.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "goversion": b.Go},
	}, func() float64 { return 1 }))
}
