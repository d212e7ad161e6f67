# What a service and the gateway can do from their own folders: make -C services/claims test image. Their makefiles include this.
#
# The folder is built by its own go.mod alone (GOWORK=off), so that what another team requires does not change what this one ships.
.DEFAULT_GOAL := help
SHELL := /bin/sh
export GOWORK := off

ROOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
NAME := $(notdir $(CURDIR))
# How --version and the image call this build (deploy/tools/version).
BUILD_VERSION := $(or $(VERSION),$(shell $(ROOT)/deploy/tools/version $(NAME)))
LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
include $(ROOT)/deploy/build.mk

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(ROOT)/deploy/service.mk

.PHONY: build
build: ## build the command into bin/ of the repository
	@$(call build,$(BUILD_VERSION)) -o $(ROOT)/bin/$(NAME) ./cmd/$(NAME)

.PHONY: test
test: ## run the tests of this folder, among them what consumers rely on
	$(raced) go test $(RACE) ./...

.PHONY: verify
verify: ## check formatting, vet, lint, go.mod, and the contracts against those of the last release
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "make: run gofmt -w on the files above" >&2; exit 1; }
	go vet ./...
	go mod tidy -diff
	go run $(LINT) run --allow-parallel-runners ./...
	go run -C $(ROOT)/deploy/tools/compatibility . ../../../contracts/released ../../../contracts

.PHONY: image
image: ## build the image, with the Go of this machine
	@$(MAKE) --no-print-directory -C $(ROOT) images IMAGES=$(NAME) IMAGE_FILES=bin/images-$(NAME) VERSION=$(BUILD_VERSION)

.PHONY: version
version: ## print the version of what is built here
	@echo $(BUILD_VERSION)

.PHONY: release
release: test verify ## tag what is committed as a release of this folder (VERSION=v1.2.3)
	@$(ROOT)/deploy/tools/release $(NAME) "$(VERSION)"
