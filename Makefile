# make help lists the targets. Each is a single command that can also be typed directly.
export CGO_ENABLED = 0
.DEFAULT_GOAL := help
.PHONY: help build image wheel test race fuzz heavy lint conformance ci nightly release release-check bench docs site pictures surfaces

help: ## list the targets
	@sed -n 's/^\([a-z%-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

build: ## build the program as bin/quintain
	go build -buildvcs=auto -trimpath -ldflags '-s -w' -o bin/quintain ./cmd/quintain

ARCH ?= $(shell go env GOARCH)
image: ## build the container image quintain:dev by Docker, or for ARCH=arm64
	GOOS=linux GOARCH=$(ARCH) go build -buildvcs=auto -trimpath -ldflags '-s -w' -o dist/image/quintain ./cmd/quintain
	python3 .ci/release/licences.py linux/$(ARCH) >dist/image/THIRD_PARTY_LICENSES.txt
	cp LICENSE dist/image/
	docker buildx build --load --platform linux/$(ARCH) --tag quintain:dev --file .ci/release/Dockerfile dist/image

wheel: ## build the wheels of the Python package, into dist/: for all platforms, or for PLATFORMS=linux/amd64
	python3 python/wheels.py dist $(PLATFORMS)

test: ## run all tests, including the house rules
	go test ./...

race: ## run the tests of all that starts goroutines with the race detector; needs a C compiler
	.ci/race

fuzz: ## run every fuzz target for 20 seconds
	.ci/fuzz 20

heavy: ## run all tests on all levels and problems, and kill processes
	go test -tags heavy -timeout 20m ./...

lint: ## run go vet, and golangci-lint in the version named in .ci/run
	go vet ./... && golangci-lint run ./...

conformance: ## compare with the real reasoning-gym and run the tests of Atropos
	conformance/run

ci: ## run all that guards a change, in 14 minutes
	.ci/run

nightly: ## run all that takes longer, and record that it passed
	.ci/nightly

VERSION ?= $(shell git describe --exact-match --tags)
release: ## make all that is published, for all PLATFORMS, as dist/: make release VERSION=v0.1.0
	rm -rf dist
	python3 .ci/release/release.py dist '$(VERSION)' $(PLATFORMS)

release-check: ## fail unless nightly has passed, lately and with this program
	.ci/release-check

bench: ## run all benchmarks, then compare the tasks with reasoning-gym
	go test -run '^$$' -bench . -benchmem ./...
	conformance/python bench/tasks.py --write docs/benchmarks.md --each docs/benchmarks-tasks.md

docs: ## rewrite the documents that are made from code and data
	go test ./internal/house ./tasks/catalog ./cmd/quintain -run 'Doc|UpToDate' -update

site: build ## build the site from docs/, the program and the Python package, into dist/site; SITE=https://… is its address
	REQUIREMENTS=site.txt conformance/python .ci/site/build.py --quintain bin/quintain --url "$(SITE)" dist/site

pictures: build ## take the pictures of README and docs/watch, in Chromium
	REQUIREMENTS=watch.txt conformance/python conformance/watch.py --quintain bin/quintain --screenshots docs/watch
	REQUIREMENTS=watch.txt conformance/python conformance/terminal.py --quintain bin/quintain --picture docs/watch/terminal.png

surfaces: ## measure what can be learned from the looks of new tasks' problems: up to a minute each
	go test ./tasks/catalog -run Doc -update -surfaces -timeout 2h
