# The Insurance Exchange Service. `make help` lists what there is to do.
.DEFAULT_GOAL := help
SHELL := /bin/sh

SERVICES := $(notdir $(wildcard services/*))
packages = $(addprefix ./,$(addsuffix /...,$(1)))

include deploy/build.mk

# What is tested with the race detector: all that runs in a server or a client.
RACED := $(call packages,contracts contracts/conformance pkg gateway $(addprefix services/,$(SERVICES)) deploy/exchange)

# What is tested without it. The tests of the whole and the bench only send requests to the commands under test, which have it.
# In the simulation one operation happens at a time, so that it would find nothing. The tools run alone.
PLAIN := $(call packages,deploy/proof/e2e deploy/proof/simulation deploy/proof/bench deploy/tools/count deploy/tools/generate deploy/tools/sbom)

# Tests that exchange every process, credential and certificate under load, and that try every rule with mutual TLS. They cost
# more than all the other tests.
LONG := '^Test(Roll|RulesWithMutualTLS)'

# What counts the work that a process does for a request, and what a person waits for at most. Beside a busy neighbour a
# process does more for each request, because what is done at intervals is done more often, and it is slower. So these run
# after the other tests, alone.
ALONE := '^Test(AllocationsDoNotGrow|TheLinkIsFast|ManyRecords)$$'

# The shipped commands, and where they are built once for all packages that test them.
COMMANDS := ./deploy/exchange ./gateway/cmd/gateway $(foreach s,$(SERVICES),./services/$(s)/cmd/$(s))
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
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: bin/exchange ## run the whole exchange in one process until Ctrl-C (settings: EXCHANGE_ADDR, EXCHANGE_DATA, ...)
	@exec bin/exchange run

.PHONY: token
token: bin/exchange ## print a bearer token for the running exchange, valid for an hour (SCOPE="std.developer" only reads)
	@bin/exchange token --scope "$(SCOPE)"

.PHONY: build
build: bin/exchange ## build all commands into bin/
	@$(foreach c,$(SERVICES) gateway,$(call build,$(call version_of,$(c))) -o bin/$(c) ./$(call module_of,$(c))/cmd/$(c) &&) true

.PHONY: bin/exchange
bin/exchange:
	@deploy/tools/build bin/exchange "$(call ldflags,$(call version_of,exchange))" ./deploy/exchange

.PHONY: test
test: bin/under-test ## run all tests but the long ones (test-rolls, test-docker, ...)
	@# Results are kept for tests whose inputs are the same; the digest makes the commands one of the inputs.
	@export COMMANDS_UNDER_TEST=$(UNDER_TEST) COMMANDS_DIGEST="$$(cat $(UNDER_TEST)/* | cksum)" && \
		$(MAKE) --no-print-directory -j 2 test-raced test-plain && $(MAKE) --no-print-directory test-alone

# The first two run at the same time, because many tests wait more than they compute: so there are twice as many
# packages in test as there are cores. make verify vets the tests.
.PHONY: test-raced test-plain test-alone
test-raced:
	go test -vet=off -timeout 45m $(RACE) $(RACED)

test-plain:
	go test -vet=off -timeout 45m -skip $(LONG)'|'$(ALONE) $(PLAIN)

test-alone:
	go test -vet=off -p 1 -timeout 10m -run $(ALONE) ./deploy/proof/bench ./deploy/proof/e2e/console

.PHONY: test-rolls
test-rolls: bin/under-test ## exchange every process, credential and certificate of running exchanges under load
	COMMANDS_UNDER_TEST=$(UNDER_TEST) go test -count=1 -timeout 20m -run $(LONG) ./deploy/proof/e2e

FUZZTIME ?= 5s

.PHONY: fuzz
fuzz: bin/under-test ## try random input on all that reads input, each for FUZZTIME (5s); KEEP=1 adds what it finds to the inputs that `make test` runs
	@COMMANDS_UNDER_TEST=$(UNDER_TEST) FUZZTIME=$(FUZZTIME) KEEP=$(KEEP) deploy/tools/fuzz

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

.PHONY: test-releases
test-releases: ## run the last release of each service with the others of today; it is built from the history of the repository
	go test -count=1 -timeout 60m ./deploy/proof/crosstest/releases

.PHONY: test-docker
test-docker: bin/under-test test-releases $(if $(STANDINS),standin-images,images) ## run the tests that need Docker and MongoDB (CROSSTEST_MONGO=standin: without their images, as root on Debian)
	@# Results are kept for tests whose inputs are the same; the digest makes the commands one of the inputs.
	COMMANDS_UNDER_TEST=$(UNDER_TEST) COMMANDS_DIGEST="$$(cat $(UNDER_TEST)/* | cksum)" \
		go test $(RACE) -timeout 1h ./deploy/proof/crosstest/store/... $(STANDINS)
	DOCUMENTDB_FOLDER=$(DOCUMENTDB_FOLDER) IMAGE_PREFIX=$(IMAGE_PREFIX) IMAGE_TAG=$(IMAGE_TAG) CROSSTEST_REPORT=$(CURDIR)/bin/crosstest-report.txt \
		go test -count=1 -timeout 3h ./deploy/proof/crosstest/containers
	@cat bin/crosstest-report.txt

# KUBERNETES=current takes the cluster that kubectl is configured for, whose nodes can have the images of IMAGE_PREFIX and IMAGE_TAG.
.PHONY: test-kubernetes
test-kubernetes: $(if $(filter current,$(KUBERNETES)),$(if $(STANDINS),standin-images),standin-images standin-kubernetes) ## roll and break the exchange on Kubernetes: on a cluster of its own, as root on Debian, or on yours (KUBERNETES=current)
	KUBERNETES=$(KUBERNETES) DOCUMENTDB_FOLDER=$(DOCUMENTDB_FOLDER) IMAGE_PREFIX=$(IMAGE_PREFIX) IMAGE_TAG=$(IMAGE_TAG) \
		CROSSTEST_REPORT=$(CURDIR)/bin/kubernetes-report.txt go test -count=1 -timeout 3h ./deploy/proof/crosstest/kubernetes
	@cat bin/kubernetes-report.txt

# What the test starts is built before it, so that the time for that is not a part of the test's.
.PHONY: standin-kubernetes
standin-kubernetes:
	@go build -o bin/standin-kubernetes ./deploy/proof/standins/cmd/kubernetes
	@bin/standin-kubernetes -prepare

.PHONY: bin/under-test
bin/under-test:
	@mkdir -p $(UNDER_TEST)
	@deploy/tools/build $(UNDER_TEST)/ '-s -w' $(RACE) -buildvcs=false $(COMMANDS)
	@# The same command without the race detector, for what is called hundreds of times or measured.
	@deploy/tools/build $(UNDER_TEST)/client '-s -w' -buildvcs=false ./deploy/exchange

.PHONY: verify
verify: ## check formatting, lint, import directions, generated files, single modules, known vulnerabilities
	@deploy/tools/verify

.PHONY: count
count: ## print lines, files and exported names of rooms and packages, and how many files two requests pass
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
	@mkdir -p $(IMAGE_FILES)/linux-$(shell go env GOARCH)/documentdb
	@CGO_ENABLED=0 $(call build,$(call version_of,documentdb)) -o $(IMAGE_FILES)/linux-$(shell go env GOARCH)/documentdb/command ./deploy/proof/standins/cmd/documentdb
	@$(call build_image,documentdb)

.PHONY: bench
bench: $(if $(filter -processes,$(BENCH)),build,bin/exchange) ## measure the exchange against a bare handler (BENCH="-scale" for a million records, -aging for a record of 10,000 changes, -processes for separate ones, -mongo for MongoDB, also with -processes, -hostile, -overload and -fair for bounds, "-results FILE" to keep what was measured)
	$(call build,$(call version_of,exchange)) -o bin/bench ./deploy/proof/bench
	$(if $(filter -mongo,$(BENCH)),go build -o bin/standin-documentdb ./deploy/proof/standins/cmd/documentdb)
	bin/bench $(BENCH)

.PHONY: bench-compare
bench-compare: ## tell changes from noise between what make bench BENCH="-results FILE" has kept (OLD=old.txt NEW=new.txt)
	@go run golang.org/x/perf/cmd/benchstat@$$(go list -m -f "{{.Version}}" golang.org/x/perf) "$(OLD)" "$(NEW)"

.PHONY: bench-allocations
bench-allocations: bin/exchange ## measure the allocations of a request anew, and write those that make test compares with
	@go build -o bin/bench ./deploy/proof/bench
	@bin/bench allocations deploy/proof/bench/allocations.json

.PHONY: clean
clean: ## remove what was built; the data stays
	rm -rf bin
