# make help tells what there is. Everything here is one command that can be typed as well.
export CGO_ENABLED = 0
.DEFAULT_GOAL := help
.PHONY: help build test race fuzz heavy lint conformance bench docs

help: ## list the targets
	@sed -n 's/^\([a-z%-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

build: ## the program, as bin/quintain
	go build -trimpath -ldflags '-s -w' -o bin/quintain ./cmd/quintain

test: ## all tests, the house rules among them
	go test ./...

race: ## all tests under the race detector; needs a C compiler
	CGO_ENABLED=1 go test -race -short ./...

fuzz: ## every fuzz target for 20 seconds
	.ci/fuzz 20 600

heavy: ## the tests that kill processes, and their like
	go test -tags heavy -timeout 20m ./...

lint: ## go vet, and golangci-lint at the version that .ci/run names
	go vet ./... && golangci-lint run ./...

conformance: ## against the real reasoning-gym and the tests of Atropos
	conformance/run

bench: ## all benchmarks, then the tasks beside reasoning-gym
	go test -run '^$$' -bench . -benchmem ./...
	conformance/python bench/tasks.py --write docs/benchmarks.md

docs: ## write anew what is made from code and data
	go test ./internal/house ./catalog -update
