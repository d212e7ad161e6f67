# The Insurance Exchange Service. `make help` lists what there is to do.
.DEFAULT_GOAL := help
SHELL := /bin/sh

SERVICES := $(notdir $(wildcard services/*))
packages = $(addprefix ./,$(addsuffix /...,$(1)))

include deploy/build.mk

# The tiers of tests: CONTRIBUTING.md says what each is for. This is the first, which needs Go, make and a shell.
TESTED := $(call packages,contracts contracts/conformance pkg gateway $(addprefix services/,$(SERVICES)) \
	$(addprefix deploy/exchange/,backup check client desk local reach) deploy/proof/simulation deploy/proof/e2e/smoke)

# What has goroutines. The others handle one request at a time in their tests, or none.
RACED := $(call packages,pkg/audit pkg/auth pkg/docstore pkg/kafka pkg/load pkg/outbox pkg/peer pkg/process pkg/request pkg/rest \
	pkg/secret pkg/tracing gateway services/composite services/desk \
	services/book \
	services/feed services/premium $(addprefix deploy/exchange/,allinone client desk local testclock))

# Of the whole in one process, the race detector tries those in which several things happen at once: it finds nothing where one
# caller asks one thing after the other, and each of them starts an exchange.
IN_ONE := ./deploy/exchange/allinone
AT_ONCE := '^Test(ADemonstration|TheDeskIsFilled|WebhooksSendWhatIsShared|TimePassesByTheTestClock|SecondInstanceIsRefused.*)$$'

# The whole, as processes. Its console is tested in a browser.
WHOLE := $(call packages,$(addprefix deploy/proof/e2e/,client contractcheck copies sight) \
	deploy/exchange/allinone) ./deploy/proof/e2e

# How long the tests of a package may take. That ends one that hangs, and is no verdict.
LONGEST ?= 30m

# What is tried whole in test-long, and by samples in `make test` (go test -short).
SAMPLED := $(call packages,deploy/proof/simulation) ./pkg/docstore/sqlitestore ./pkg/rest ./services/book ./services/desk

# Tests that exchange every process, credential and certificate under load, and that try every rule with mutual TLS.
LONG := '^Test(Roll|RulesWithMutualTLS)'

# The test that opens workbooks in LibreOffice.
SPREADSHEETS := '^TestExportsOpenInSpreadsheets$$'

# What counts the work that a process does for a request, and what a person waits for at most. Beside a busy neighbour a
# process does more for each request, because what is done at intervals is done more often, and it is slower.
ALONE := '^Test(AllocationsDoNotGrow|TheLinkIsFast|ManyRecords)$$'

# The tests of the whole that CI runs for each change: the rules, all processes, a crash, the walks, a screen of the console.
WITNESSES := '^Test(TheExchangeConforms|SevenProcesses|Crash|ExamplesWork|RefusedStarts|MutualTLS|OneOfManyWins|Walks|HelpExamples|Seed|TheAccessLogFollowsARequest)$$'

# The shipped commands, and where they are built once for all packages that test them.
COMMANDS := ./deploy/exchange ./deploy/proof/standins/cmd/kafka ./gateway/cmd/gateway $(foreach s,$(SERVICES),./services/$(s)/cmd/$(s))
UNDER_TEST := $(CURDIR)/bin/under-test

# Each command has a version of its own, by its last release (deploy/tools/version), unless VERSION is given.
version_of = $(or $(VERSION),$(shell deploy/tools/version $(1)))

# Images: one for each command. They need no C library, and hold the time zones.
ARCHITECTURES ?= $(shell go env GOARCH 2>/dev/null)
IMAGES := $(SERVICES) gateway local
IMAGE_PREFIX ?= insurance-exchange/
IMAGE_TAG ?= local
IMAGE_FILES := bin/images
CERTIFICATES ?= /etc/ssl/certs/ca-certificates.crt
# The folder that PostgreSQL is unpacked into, for the stand-in of MongoDB.
DOCUMENTDB_FOLDER ?= $(HOME)/.cache/insurance-exchange/documentdb
build_image = docker build -q -f deploy/docker/Dockerfile --target prebuilt --build-arg SERVICE=$(1) \
	--build-arg VERSION=$(call version_of,$(1)) --build-arg COMMIT=$(or $(COMMIT),unknown) -t $(IMAGE_PREFIX)$(1):$(IMAGE_TAG) \
	$(IMAGE_FILES)/linux-$(shell go env GOARCH) >/dev/null && echo $(IMAGE_PREFIX)$(1):$(IMAGE_TAG)
# The module of a command, in which it is ./cmd/ and its name.
module_of = $(if $(filter gateway,$(1)),gateway,$(if $(filter local,$(1)),deploy/exchange,services/$(1)))

SCOPE ?= std.developer std.admin

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: bin/exchange ## run the whole exchange in one process until Ctrl-C (settings: EXCHANGE_ADDR, EXCHANGE_DATA, ...)
	@exec bin/exchange run

.PHONY: demo
demo: bin/exchange ## run one with an invented year of contracts, to look at: it prints links for two people (in the folder demo)
	@exec bin/exchange run --demo --log-level error

.PHONY: token
token: bin/exchange ## print a bearer token for the running exchange, valid for an hour (SCOPE="std.developer" only reads)
	@bin/exchange token --scope "$(SCOPE)"

.PHONY: build
build: bin/exchange ## build all commands into bin/
	@$(foreach c,$(SERVICES) gateway,$(call build,$(call version_of,$(c))) -o bin/$(c) ./$(call module_of,$(c))/cmd/$(c) &&) true

.PHONY: bin/exchange
bin/exchange:
	@deploy/tools/build bin/exchange "$(call ldflags,$(call version_of,exchange))" ./deploy/exchange

# Results are kept for tests whose inputs are the same; the digest makes the commands one of the inputs.
under_test = COMMANDS_UNDER_TEST=$(1) COMMANDS_DIGEST="$$(cat $(1)/* | cksum)"

.PHONY: test
test: bin/exchange ## run the tests that need nothing but Go: 6 minutes at first, then 20 seconds (the other tiers: test-...)
	@COMMANDS_UNDER_TEST=$(CURDIR)/bin COMMANDS_DIGEST="$$(cksum <bin/exchange)" \
		go test -vet=off -short -parallel 16 -timeout $(LONGEST) $(TESTED)
	@echo "make: left out: races (make test-race), the whole as processes (test-e2e), the pages (test-browser), MongoDB (test-stores)," \
		"images (test-containers), Kubernetes (test-kubernetes), what is tried by samples here (test-long)"

raced_apart = $(filter-out $(IN_ONE)%,$(or $(PACKAGES),$(RACED)))
raced_in_one = $(filter $(IN_ONE)%,$(or $(PACKAGES),$(RACED)))

.PHONY: test-race
test-race: ## run the packages that have goroutines with the race detector (needs a C compiler; PACKAGES=./pkg/rest/...: only these)
	$(if $(raced_apart),$(raced) go test -vet=off -short -parallel 16 -timeout $(LONGEST) $(RACE) $(raced_apart))
	$(if $(raced_in_one),$(raced) go test -vet=off -timeout $(LONGEST) -run $(AT_ONCE) $(RACE) $(raced_in_one))

.PHONY: test-e2e
test-e2e: bin/under-test ## run the whole as processes that have the race detector (needs a C compiler, curl and bash)
	$(call under_test,$(UNDER_TEST)) go test -vet=off -timeout 45m -skip $(LONG)'|'$(SPREADSHEETS) $(WHOLE)

.PHONY: again
again: ## run the tests of tiers many times, beside endless loops that keep the processors busy (TIMES=10 LOOPS=8 TARGETS="test test-race")
	@deploy/tools/again $(TIMES) $(LOOPS) $(TARGETS)

.PHONY: test-witnesses
test-witnesses: bin/under-test-plain ## run a dozen of the tests of the whole, as CI does for each change (needs curl, bash, Chromium)
	$(call under_test,$(UNDER_TEST)-plain) go test -vet=off -timeout $(LONGEST) -run $(WITNESSES) ./deploy/proof/e2e ./deploy/proof/e2e/client ./deploy/proof/e2e/sight
	$(call under_test,$(UNDER_TEST)-plain) go test -vet=off -timeout $(LONGEST) -run '^TestLink$$' ./deploy/proof/e2e/console

.PHONY: test-browser
test-browser: bin/under-test-plain ## run the tests of the console and of /docs (needs Chromium, LibreOffice and npm)
	$(call under_test,$(UNDER_TEST)-plain) go test -vet=off -timeout 45m -skip $(ALONE) ./deploy/proof/e2e/console
	$(call under_test,$(UNDER_TEST)-plain) go test -vet=off -timeout 10m -run $(SPREADSHEETS) ./deploy/proof/e2e/client

.PHONY: test-long
test-long: bin/under-test bin/under-test-plain ## run what takes long: rolls, whole products and seeds, the bench that counts, fuzz (needs Chromium)
	go test -vet=off -parallel 16 -timeout 60m $(SAMPLED)
	$(call under_test,$(UNDER_TEST)) go test -count=1 -timeout 30m -run $(LONG) ./deploy/proof/e2e
	$(call under_test,$(UNDER_TEST)-plain) go test -vet=off -timeout 20m -bench . -benchtime 1x ./deploy/proof/bench -slice 50ms -copies 1000 -policies 60 -booked 200
	$(call under_test,$(UNDER_TEST)-plain) go test -vet=off -timeout 20m -run $(ALONE) ./deploy/proof/e2e/console
	@$(MAKE) --no-print-directory fuzz

BASE ?= $(shell cat .ci/base 2>/dev/null)

.PHONY: affected
affected: ## say which tiers and packages CI runs for the change since a commit (BASE=main)
	@deploy/tools/affected "$(or $(BASE),none)" $(RACED)

.PHONY: test-all
test-all: test test-race test-e2e test-browser test-stores test-containers test-kubernetes test-long ## run every tier, one after the other

FUZZTIME ?= 5s

.PHONY: fuzz
fuzz: bin/under-test-plain ## try random input on all that reads input, each for FUZZTIME (5s); KEEP=1 adds what it finds to the inputs that `make test` runs
	@COMMANDS_UNDER_TEST=$(UNDER_TEST)-plain FUZZTIME=$(FUZZTIME) KEEP=$(KEEP) deploy/tools/fuzz

SEEDS ?= 1000000
FROM ?= 0

.PHONY: simulate
simulate: ## simulate the core with a million seeds (FROM=7 SEEDS=1 TRACE=1: seed 7 alone, with its operations; OF=desk: the desk, OF=sharing: policies that are shared)
	@go test -c -o bin/simulate ./deploy/proof/simulation
	@exec bin/simulate -test.run '^TestSeeds$(if $(filter desk,$(OF)),OfDesk)$(if $(filter sharing,$(OF)),OfSharing)$$' -test.timeout 0 -from $(FROM) -seeds $(SEEDS) $(if $(TRACE),-trace)

SEQUENCES ?= 10000

.PHONY: simulate-desk
simulate-desk: ## run ten thousand random sequences of one desk, and then of two with crashes (FROM=40 SEQUENCES=20: 40 to 59 alone)
	@go test -c -o bin/simulate-desk ./services/desk
	@bin/simulate-desk -test.run '^TestWhatAlwaysHolds$$' -test.v -test.timeout 0 -from $(FROM) -sequences $(SEQUENCES)
	@$(MAKE) simulate OF=desk SEEDS=$(SEQUENCES)

# CROSSTEST_MONGO=standin replaces the container of MongoDB by PostgreSQL with DocumentDB, as root on Debian.
STANDINS := $(if $(filter standin,$(CROSSTEST_MONGO)),./deploy/proof/standins/...)

.PHONY: test-stores
test-stores: bin/under-test ## run the tests that need MongoDB (CROSSTEST_MONGO=standin: without its image, as root on Debian)
	$(call under_test,$(UNDER_TEST)) $(raced) go test $(RACE) -vet=off -timeout 1h ./deploy/proof/crosstest/store/... $(STANDINS)

.PHONY: test-containers
test-containers: $(if $(STANDINS),standin-images,images) ## run the images on a Docker engine, and the last releases among the services of today (needs the history)
	go test -count=1 -timeout 60m ./deploy/proof/crosstest/releases
	DOCUMENTDB_FOLDER=$(DOCUMENTDB_FOLDER) IMAGE_PREFIX=$(IMAGE_PREFIX) IMAGE_TAG=$(IMAGE_TAG) CROSSTEST_REPORT=$(CURDIR)/bin/crosstest-report.txt \
		go test -count=1 -timeout 3h ./deploy/proof/crosstest/containers
	@cat bin/crosstest-report.txt

# The command that starts a cluster and gives its nodes the images (deploy/kubernetes/README.md). Without it the cluster is that of kubectl,
# whose nodes can have the images of IMAGE_PREFIX and IMAGE_TAG, or one of kind where kubectl has none.
TEST_CLUSTER ?= $(if $(filter test-kubernetes test-all,$(MAKECMDGOALS)),$(shell kubectl config current-context >/dev/null 2>&1 || ! \
	command -v kind >/dev/null || echo deploy/tools/kind))

.PHONY: test-kubernetes
test-kubernetes: $(if $(STANDINS),standin-images,$(if $(TEST_CLUSTER),images)) ## roll and break the exchange on Kubernetes: on the cluster of kubectl, else of kind, or of a command (TEST_CLUSTER)
	TEST_CLUSTER='$(TEST_CLUSTER)' DOCUMENTDB_FOLDER=$(DOCUMENTDB_FOLDER) IMAGE_PREFIX=$(IMAGE_PREFIX) IMAGE_TAG=$(IMAGE_TAG) \
		CROSSTEST_REPORT=$(CURDIR)/bin/kubernetes-report.txt go test -count=1 -timeout 3h ./deploy/proof/crosstest/kubernetes
	@cat bin/kubernetes-report.txt

.PHONY: bin/under-test bin/under-test-plain
bin/under-test: bin/under-test-plain
	@mkdir -p $(UNDER_TEST)
	@$(raced) deploy/tools/build $(UNDER_TEST)/ '-s -w' $(RACE) -buildvcs=false $(COMMANDS)
	@cp bin/under-test-plain/exchange $(UNDER_TEST)/client

# The commands without the race detector, for what starts them hundreds of times or measures them.
bin/under-test-plain:
	@mkdir -p $(UNDER_TEST)-plain
	@deploy/tools/build $(UNDER_TEST)-plain/ '-s -w' -buildvcs=false $(COMMANDS)
	@cp $(UNDER_TEST)-plain/exchange $(UNDER_TEST)-plain/client

.PHONY: verify
verify: ## check formatting, lint, import directions, generated files, single modules, known vulnerabilities (CHECKS=code: only these)
	@deploy/tools/verify $(CHECKS)

.PHONY: count
count: ## print lines, files and exported names of rooms and packages
	@go run ./deploy/tools/count

.PHONY: generate
generate: ## write what is derived from the declarations and from the list of processes: contracts/, manifests, go.mod
	@go work use $(addprefix ./services/,$(SERVICES))
	go run ./deploy/tools/generate contracts
	@deploy/tools/modules

.PHONY: clients
clients: ## write the clients for Go and TypeScript from the OpenAPI document (needs npm)
	@clients/generate

.PHONY: release-contracts
release-contracts: ## keep the contracts of today as those of the last release (SERVICE=claims: only what claims offers)
	@deploy/tools/release-contracts $(SERVICE)

.PHONY: images
images: image-files ## build the images of the services and the gateway, for this architecture
	@$(foreach i,$(IMAGES),$(call build_image,$(i)) &&) true

.PHONY: image-files
image-files: $(addprefix image-files-,$(ARCHITECTURES)) ## build what goes into the images (ARCHITECTURES="amd64 arm64")

image-files-%:
	@[ -r $(CERTIFICATES) ] || { echo "make: there are no certificates of authorities in $(CERTIFICATES); name a PEM file with CERTIFICATES=" >&2; exit 1; }
	@rm -rf $(IMAGE_FILES)/linux-$*
	@mkdir -p $(IMAGE_FILES)/linux-$*/certificates && cp $(CERTIFICATES) $(IMAGE_FILES)/linux-$*/certificates/ca-certificates.crt
	@# What a process may write: its data, the credential that is made for all of them, MongoDB's passwords, and files for a while.
	@cd $(IMAGE_FILES)/linux-$* && mkdir -m 700 -p folders/data folders/credential folders/tmp $(addprefix folders/mongodb/,server $(SERVICES))
	@go build -C deploy/tools -o $(CURDIR)/bin/sbom ./sbom
	@# Each in its module, so that it can be built without the workspace (GOWORK=off).
	@$(foreach i,$(IMAGES),CGO_ENABLED=0 GOOS=linux GOARCH=$* $(subst go build,go build -C $(call module_of,$(i)),$(call build,$(call version_of,$(i)))) \
		-tags $(TAGS),timetzdata -o $(CURDIR)/$(IMAGE_FILES)/linux-$*/$(i)/command ./cmd/$(i) && \
		bin/sbom $(IMAGE_FILES)/linux-$*/$(i)/command $(call version_of,$(i)) $(if $(filter gateway,$(i)),gateway/console/page/lib/manifest.json) >$(IMAGE_FILES)/linux-$*/$(i)/sbom.cdx.json &&) true

.PHONY: standin-images
standin-images: images ## build the images of servers that stand in for MongoDB and Kafka, as root on Debian
	@go build -o bin/standin-documentdb ./deploy/proof/standins/cmd/documentdb
	@bin/standin-documentdb -dir $(DOCUMENTDB_FOLDER) -prepare
	@mkdir -p $(addprefix $(IMAGE_FILES)/linux-$(shell go env GOARCH)/,documentdb kafka)
	@CGO_ENABLED=0 $(call build,$(call version_of,documentdb)) -o $(IMAGE_FILES)/linux-$(shell go env GOARCH)/documentdb/command ./deploy/proof/standins/cmd/documentdb
	@CGO_ENABLED=0 $(call build,$(call version_of,kafka)) -o $(IMAGE_FILES)/linux-$(shell go env GOARCH)/kafka/command ./deploy/proof/standins/cmd/kafka
	@$(call build_image,documentdb)
	@$(call build_image,kafka)

.PHONY: bench
bench: bin/exchange ## measure the exchange against a bare handler (BENCH="-bench Rows" for these rows, "-against FOLDER" for another build, "-count 6" for bench-compare)
	COMMANDS_UNDER_TEST=$(CURDIR)/bin go test -vet=off -run '^$$' -bench . -benchtime 7x -timeout 0 ./deploy/proof/bench $(BENCH)

.PHONY: bench-compare
bench-compare: ## tell changes from noise between what make bench BENCH="-count 6" has printed (OLD=old.txt NEW=new.txt)
	@go tool -C deploy/proof/bench benchstat "$(abspath $(OLD))" "$(abspath $(NEW))"

.PHONY: bench-allocations
bench-allocations: bin/exchange ## measure the allocations of a request anew, and write those that make test compares with
	@COMMANDS_UNDER_TEST=$(CURDIR)/bin go test -vet=off -count=1 -run '^TestAllocationsDoNotGrow$$' -v ./deploy/proof/bench -update

.PHONY: clean
clean: ## remove what was built; the data stays
	rm -rf bin
