# How commands are built, for the makefile of the repository and for those of the services.

# Without the paths of this folder in what is compiled, every clone shares one build cache, and all targets share what they compile.
# gin's own tag nomsgpack leaves out MessagePack, which no operation speaks and which takes an eighth of a first build.
TAGS := nomsgpack
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -trimpath -tags=$(TAGS))

# The race detector needs cgo and a C compiler. CI insists on both (see .ci/run); elsewhere the tests run without it.
# SQLite, which is C translated to Go, is left out of it: it shares no memory of Go's, and would take four times as long.
CC_FOUND := $(shell command -v cc || command -v gcc || command -v clang)
RACE := $(if $(CC_FOUND),-race '-gcflags=modernc.org/...=-race=false')

# The commands are built without symbol tables, which only a debugger reads: they are a third smaller. --version prints what -X sets.
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
STAMP := insurance.example/exchange/pkg/process
ldflags = -s -w -X $(STAMP).version=$(1) -X $(STAMP).commit=$(COMMIT)
build = go build -ldflags "$(ldflags)"
