# How commands are built, for the makefile of the repository and for those of the services.

# The race detector needs cgo and a C compiler. CI insists on both (see .ci/run); elsewhere the tests run without it.
# SQLite, which is C translated to Go, is left out of it: it shares no memory of Go's, and would take four times as long.
CC_FOUND := $(shell command -v cc || command -v gcc || command -v clang)
RACE := $(if $(CC_FOUND),-race '-gcflags=modernc.org/...=-race=false')

# What --version prints. Without the symbol tables, which only a debugger reads, the commands are a third smaller; functions that begin
# at multiples of 16 bytes, as on arm64, instead of 32 save 0.2 MB. TAGS leaves out a codec of Gin that no route uses.
TAGS := nomsgpack
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
STAMP := insurance.example/exchange/pkg/service
# What only a start, a first use or a scrape of the metrics runs. Without inlining it is 0.3 MB smaller in each command.
SELDOM := github.com/gabriel-vasile/... github.com/go-playground/... github.com/goccy/... github.com/prometheus/common/... \
	github.com/spf13/... github.com/xdg-go/... google.golang.org/protobuf/...
build = go build -trimpath -tags $(TAGS) $(foreach p,$(SELDOM),-gcflags=$(p)=-l) -ldflags "-s -w -funcalign=16 -X $(STAMP).version=$(1) -X $(STAMP).commit=$(COMMIT)"
