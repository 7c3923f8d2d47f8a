# tito: install, build, serve, test. `make help` lists the targets.

export ONNXRUNTIME_NODE_INSTALL := skip

MODEL ?=
PORT ?= 8000
ARGS ?=
TARGET ?=
GOLDEN ?= $(TITO_GOLDEN)

SOURCES := $(shell find src generated bench contract-tests scripts packages/*/src -name '*.ts' 2>/dev/null) openapi.yaml
WEB := $(shell find web -type f 2>/dev/null)
INSTALLED := node_modules/.package-lock.json
BUILT := dist/.built

.PHONY: help install build model serve test contract contract-mock golden mock generate generate-check options lint typecheck bench bench-serve bench-start bench-overhead bench-lookup bench-context bench-derender bench-render clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

install: $(INSTALLED) ## Install the packages

$(INSTALLED): package.json packages/client/package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $(INSTALLED)

build: $(BUILT) ## Compile the server, the client package and the pages

$(BUILT): $(INSTALLED) $(SOURCES) $(WEB) tsconfig.json tsconfig.build.json packages/client/tsconfig.build.json
	rm -rf dist packages/client/dist
	node_modules/.bin/tsc -p tsconfig.build.json
	node_modules/.bin/tsc -p packages/client/tsconfig.build.json
	node dist/scripts/build-web.js
	chmod +x dist/src/cli.js
	@touch $(BUILT)

model: build ## Fetch and build the default model, if it isn't cached
	node dist/src/cli.js pull $(MODEL)

serve: build ## Serve MODEL (default: the default model) on PORT with ARGS
	node dist/src/cli.js serve $(MODEL) --enable-scale-out --port $(PORT) $(ARGS)

test: build ## Unit, contract and end-to-end tests (TITO_GOLDEN=DIR adds recorded exchanges)
	node_modules/.bin/vitest run

contract: build ## Contract cases against a server of our own, or TARGET=URL
	node dist/contract-tests/run.js $(if $(TARGET),--target $(TARGET),--serve)

contract-mock: build ## Contract cases against a Prism mock of openapi.yaml
	node dist/contract-tests/run.js --mock

golden: build ## Replay recorded exchanges in GOLDEN against servers of our own
	node dist/contract-tests/golden.js $(GOLDEN)

mock: $(INSTALLED) ## Serve a mock of openapi.yaml on PORT
	node_modules/.bin/prism mock openapi.yaml --host 127.0.0.1 --port $(PORT)

generate: $(INSTALLED) ## Write generated/ from openapi.yaml (needs Java 11+)
	node scripts/generate.mjs

generate-check: $(INSTALLED) ## Fail when generated/ is not what openapi.yaml gives
	node scripts/generate.mjs --check

options: build ## Write docs/options.md from the option table
	node dist/scripts/write-options-page.js

lint: $(INSTALLED) ## Lint code and contract
	node_modules/.bin/biome check .
	node_modules/.bin/redocly lint openapi.yaml

typecheck: $(INSTALLED) ## Type check everything
	node_modules/.bin/tsc --noEmit
	node_modules/.bin/tsc -p packages/client/tsconfig.build.json --noEmit
	node_modules/.bin/tsc -p web/tsconfig.json --noEmit

bench: build ## End-to-end throughput beside the bare session
	node dist/bench/throughput.js $(ARGS)

bench-serve: build ## tito beside its peers (ARGS="--llama FILE --vllm FOLDER" ... adds them)
	node dist/bench/serve/run.js $(ARGS)

bench-start: build ## From the command to the first token, model in the cache
	node dist/bench/start.js $(ARGS)

bench-overhead: build ## What the server adds to a request of one token
	node dist/bench/overhead.js $(ARGS)

bench-lookup: build ## What guessing from the prompt gains one stream
	node dist/bench/prompt-lookup.js $(ARGS)

bench-context: build ## What context costs a decode step
	node dist/bench/context.js $(ARGS)

bench-derender: build ## Time of a streamed derender call by output length (ARGS="--reference URL" adds a peer)
	node dist/bench/derender.js $(ARGS)

bench-render: build ## Chat renders a second (ARGS="--reference URL" adds a peer)
	node dist/bench/render.js $(ARGS)

clean: ## Remove what was built
	rm -rf dist packages/client/dist coverage
