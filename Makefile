# make check   everything that must pass
# make bench   speed, as ratios in one run (benchstat reads what it writes)
# make golden  rewrites the expected output of tests; the commit explains the diff
# make figures draws the README's picture

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

GO ?= go
COUNT ?= 6
SCRATCH ?= $(or $(TMPDIR),/tmp)/tiersim-make

.PHONY: check format vet tidy test twice bench golden figures clean

check: format vet tidy test twice

format:
	@bad="$$(gofmt -l cmd sim scenarios topologies)"; \
	if [ -n "$$bad" ]; then echo "not gofmt'd:"; echo "$$bad"; exit 1; fi

vet:
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

tidy:
	$(GO) mod tidy -diff

# Statistical tests are kept out of the race detector (they say so by -short).
test:
	$(GO) test -race -short ./...

# The same scenario twice, by another number of workers: the digests of all
# events, and every other byte, must be the same.
SHORT = --quiet --output csv --policy at-data,three-way --replications 1
twice:
	rm -rf $(SCRATCH)/twice && mkdir -p $(SCRATCH)/twice
	$(GO) build -o $(SCRATCH)/twice/tiersim ./cmd/tiersim
	$(SCRATCH)/twice/tiersim run $(SHORT) --workers 1 --out $(SCRATCH)/twice/a > $(SCRATCH)/twice/a.csv
	$(SCRATCH)/twice/tiersim run $(SHORT) --workers 2 --out $(SCRATCH)/twice/b > $(SCRATCH)/twice/b.csv
	diff -r $(SCRATCH)/twice/a $(SCRATCH)/twice/b
	cmp $(SCRATCH)/twice/a.csv $(SCRATCH)/twice/b.csv
	grep -c '"digest"' $(SCRATCH)/twice/a/*/manifest.json
	rm -rf $(SCRATCH)/twice

bench:
	mkdir -p $(SCRATCH)
	$(GO) test -run '^$$' -bench . -benchmem -count $(COUNT) ./... | tee $(SCRATCH)/bench.txt
	$(GO) tool benchstat $(SCRATCH)/bench.txt

golden:
	TIERSIM_GOLDEN=1 $(GO) test ./cmd/tiersim ./sim/scenario

figures:
	rm -rf $(SCRATCH)/figures
	$(GO) run ./cmd/tiersim run --quiet --out $(SCRATCH)/figures > /dev/null
	cp $(SCRATCH)/figures/eight-hubs/figures/cost-by-policy-base.png .readme/cost-by-policy.png
	rm -rf $(SCRATCH)/figures

clean:
	rm -rf $(SCRATCH) results/*
