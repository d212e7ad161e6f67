# How commands are built, for the makefile of the repository and for those of the services.

# Without the paths of this folder in what is compiled, every clone shares one build cache, and all targets share what they compile.
# gin's own tag nomsgpack leaves out MessagePack, which no operation speaks and which takes an eighth of a first build.
TAGS := nomsgpack
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -trimpath -tags=$(TAGS))

# No command needs a C library, and nothing needs a C compiler but the race detector: $(raced) goes before its go test. SQLite, which is
# C translated to Go, is left out of it: it shares no memory of Go's, and would take four times as long.
export CGO_ENABLED := 0
RACE := -race '-gcflags=modernc.org/...=-race=false'
raced = CGO_ENABLED=1

# The commands are built without symbol tables, which only a debugger reads: they are a third smaller. --version prints what -X sets.
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
STAMP := insurance.example/exchange/pkg/process
ldflags = -s -w -X $(STAMP).version=$(1) -X $(STAMP).commit=$(COMMIT)
build = go build -ldflags "$(ldflags)"
