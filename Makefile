# Filmgate's everyday commands. `make help` lists them.
SWIFT ?= swift
# For builds for debugging, as `--disable-index-store` where nobody looks symbols up afterwards.
DEBUG_FLAGS ?=
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# With Swift's own libraries inside: it starts faster, and runs where they are not installed.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib -j $(JOBS)
DEBUG_BIN = $(shell $(SWIFT) build --show-bin-path)/filmgate
RELEASE_BIN = $(shell $(SWIFT) build -c release --show-bin-path)/filmgate
# The program that is tried, measured and packed; unset, it is built for release first.
FILMGATE ?=
PROGRAM = $(or $(FILMGATE),$(RELEASE_BIN))
COUNT ?= 100
SEQUENCES ?= 100000
STEPS ?= 1000000
KILLS = $(if $(filter command line,$(origin COUNT)),$(COUNT),20)
SECONDS_EACH ?= 60
SECONDS_CHAOS ?= 1800
SECONDS_SOAK ?= 1800
# By each of three cameras and into the hot folder.
SHOTS_SOAK ?= 7600
PUSHES_SOAK ?= 20000
SHOTS ?= .build-studio/shots

.PHONY: help build demo stations-demo install install-debug clean program deb deb-test dist dist-test test lint house models fuzz tsan peers bench
.PHONY: crash crash-cameras outage chaos soak overlap hotfolder push strangers stations stations-long stations-bench ways usb vusb
.PHONY: studio-bench studio-browser studio-soak studio-webkit
.PHONY: deps deps-install deps-lint deps-test deps-crash deps-hotfolder deps-strangers deps-deb deps-bench deps-peers deps-usb deps-vusb deps-studio deps-webkit
.PHONY: deps-stations

help: ## this list
	@awk '/^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { split($$0, part, /:.*## /); printf "  %-14s %s\n", part[1], part[2] }' $(MAKEFILE_LIST)

##@ Use it

build: deps ## build the program for release
	$(RELEASE) --product filmgate
	$(RELEASE) --product filmgate-gphoto2
	$(RELEASE) --product filmgate-previews

program:
	@$(if $(FILMGATE),test -x $(FILMGATE),$(MAKE) --no-print-directory build)

# Which versions are inside: every build writes it; a program that was built elsewhere comes without.
Package.resolved:
	$(SWIFT) package resolve

demo: program ## try it: a sample card into a folder and a gallery on this machine, twice
	$(PROGRAM) demo

stations-demo: deps-test program ## try several machines: two stations, a catalogue on a PostgreSQL of its own, one card in both, one gallery
	.ci/stations-demo.sh $(PROGRAM)

install: deps-install program Package.resolved ## install the stripped program, udev rules, manual pages, completions and profiles below PREFIX
	.ci/tree.sh $(PROGRAM) $(DESTDIR)$(PREFIX)

install-debug: deps-install program Package.resolved ## the same, and debug symbols beside the programs, for backtraces that name lines
	.ci/tree.sh $(PROGRAM) $(DESTDIR)$(PREFIX) $(DESTDIR)$(PREFIX)

deb: deps-deb program Package.resolved ## make the Debian packages: program, systemd unit, udev rules, manual, completions, profiles; debug symbols
	.ci/deb.sh $(PROGRAM) .

dist: deb ## make the Debian packages, and a tarball that runs from any folder
	.ci/tarball.sh $(PROGRAM) .

clean: ## remove everything that was built
	rm -rf .build .build-tsan .build-fuzz .build-models

##@ Check a change

test: deps deps-test deps-crash ## build and run all tests
	$(SWIFT) build --build-tests $(DEBUG_FLAGS) -j $(JOBS)
	python3 Tests/Scenarios/Crash/chaos.py --filmgate $(DEBUG_BIN) --seconds 12 --shots 20
	# Many tests start programs and servers: a few at once, or the slow machine makes them wait for one another.
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=12 .ci/tests.sh $(SWIFT) test --skip-build --disable-xctest

lint: deps deps-lint ## check formatting, the page's types, the house rules and every pipeline in the repository
	$(SWIFT) build --build-tests $(DEBUG_FLAGS) -j $(JOBS)
	.ci/lint.sh $(DEBUG_BIN)

house: ## count how large rooms, files and types are, and what there are two of (AGAINST=COMMIT beside a commit)
	@python3 .ci/house.py $(if $(AT),--at $(AT)) $(if $(AGAINST),--against $(AGAINST))

models: deps ## play SEQUENCES random histories of names and STEPS of deliveries against their models, built for release
	FILMGATE_ONLY=FilmgateEngine $(SWIFT) build --build-tests -c release -Xswiftc -enable-testing --scratch-path .build-models -j $(JOBS)
	FILMGATE_ONLY=FilmgateEngine FILMGATE_NAME_SEQUENCES=$(SEQUENCES) FILMGATE_DELIVERY_STEPS=$(STEPS) $(SWIFT) test --skip-build \
		--disable-xctest -c release -Xswiftc -enable-testing --scratch-path .build-models --filter 'NameModelTests|DeliveryModelTests'

fuzz: deps ## run every fuzz target for SECONDS_EACH seconds under AddressSanitizer
	.ci/fuzz.sh $(SECONDS_EACH)

tsan: deps ## run all tests under ThreadSanitizer
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan -j $(JOBS)
	# The processes around libgphoto2 and libjpeg-turbo limit their own memory, which the sanitizer's shadow does not fit into: without them.
	cd "$$($(SWIFT) build --scratch-path .build-tsan --show-bin-path)" && rm -f filmgate-gphoto2 filmgate-previews
	# Tells the sanitizer how Swift's Mutex is handed over; see the file.
	"$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/clang" -shared -fPIC -O2 -o .build-tsan/mutex.so Tests/Sanitizer/mutex.c -ldl
	FILMGATE_SANITIZER=thread SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=12 LD_PRELOAD=$(CURDIR)/.build-tsan/mutex.so \
		$(SWIFT) test --skip-build --disable-xctest --sanitize=thread --scratch-path .build-tsan

bench: deps-bench program ## measure beside cp, rclone, exiftool, exiv2, gphoto2 and curl (BENCH="--quick" for a short look, "--against PROGRAM" for another build)
	python3 Tests/Scenarios/Bench/bench.py --filmgate $(PROGRAM) $(BENCH)

studio-bench: deps-studio program ## measure the page with a real browser against its limits (BENCH="--quick" for a short look)
	programs=$$(Tests/Scenarios/Studio/python.sh $(CURDIR)/.build-studio) && \
		"$$programs/python3" Tests/Scenarios/Studio/bench.py --filmgate $(PROGRAM) $(BENCH)

stations-bench: deps-stations program ## measure the catalogue of stations beside COPY, pgbench and a program in C (BENCH="--quick" for a short look)
	$(RELEASE) --product PQBench
	python3 Tests/Scenarios/Stations/bench.py --filmgate $(PROGRAM) --pqbench "$$($(RELEASE) --show-bin-path)/PQBench" $(BENCH)

##@ Scenarios: minutes to hours, see Tests/README.md

crash: deps-crash program ## kill an import at COUNT random moments; nothing may be lost or doubled
	python3 Tests/Scenarios/Crash/crash.py --filmgate $(PROGRAM) --count $(COUNT)

crash-cameras: deps-crash program ## kill `run`, its virtual cameras (every make, three at once) and its gallery
	python3 Tests/Scenarios/Crash/cameras.py --filmgate $(PROGRAM) --count $(KILLS)
	python3 Tests/Scenarios/Crash/resume.py --filmgate $(PROGRAM) --count $(KILLS)

outage: deps-crash program ## deliver 3,000 files while the network is away for two (shortened) hours, with a restart
	python3 Tests/Scenarios/Outage/outage.py --filmgate $(PROGRAM)

chaos: deps-crash program ## pull cables, Wi-Fi, servers and the program for SECONDS_CHAOS seconds of a shoot
	python3 Tests/Scenarios/Crash/chaos.py --filmgate $(PROGRAM) --seconds $(SECONDS_CHAOS) --shots 2000 --pushes 2000 --largest 100000 \
		--every $$(($(SECONDS_CHAOS) * 900 / 2000)) --patience 240

soak: deps-crash program ## run eight hours of a shoot in SECONDS_SOAK seconds; memory, files and threads must not grow
	python3 Tests/Scenarios/Crash/chaos.py --filmgate $(PROGRAM) --steady --seconds $(SECONDS_SOAK) --shots $(SHOTS_SOAK) --pushes $(PUSHES_SOAK) \
		--every $$(($(SECONDS_SOAK) * 900 / $(SHOTS_SOAK))) --largest 12000 --patience 600

overlap: program ## mark, retry, import and reload while a run delivers the same frames; each must be sent once
	python3 Tests/Scenarios/Overlap/overlap.py --filmgate $(PROGRAM)

studio-soak: deps-crash deps-studio program ## the same while five browsers look at the page of it
	programs=$$(Tests/Scenarios/Studio/python.sh $(CURDIR)/.build-studio) && \
		"$$programs/python3" Tests/Scenarios/Studio/soak.py --filmgate $(PROGRAM) --steady --seconds $(SECONDS_SOAK) --shots $(SHOTS_SOAK) \
		--pushes $(PUSHES_SOAK) --every $$(($(SECONDS_SOAK) * 900 / $(SHOTS_SOAK))) --largest 12000 --patience 600

hotfolder: deps-hotfolder program ## let hostile writers and real servers fill a watched folder
	python3 Tests/Scenarios/HotFolder/hotfolder.py --filmgate $(PROGRAM)

push: deps-hotfolder program ## push 500 files with lftp, curl and replayed cameras over FTPS; what is not allowed must be refused
	python3 Tests/Scenarios/Push/push.py --filmgate $(PROGRAM)

strangers: deps-strangers program ## deliver to nine servers of other people over a network that breaks, and let their clients push
	programs=$$(Tests/Scenarios/Strangers/python.sh $(CURDIR)/.build-strangers) && \
		PATH="$$PATH:/usr/sbin" python3 Tests/Scenarios/Strangers/strangers.py --filmgate $(PROGRAM) --programs "$$programs"

stations: deps-test program ## let two stations share a catalogue on a PostgreSQL of their own, and kill it and them
	python3 Tests/Scenarios/Stations/stations.py --filmgate $(PROGRAM) $(SCENARIOS)

stations-long: deps-stations program ## kill servers and stations COUNT times, cut networks, restore backups (SCENARIOS="--only NAME")
	programs=$$(Tests/Scenarios/Peers/python.sh $(CURDIR)/.build-peers) && PATH="$$PATH:$$programs" \
		python3 Tests/Scenarios/Stations/long.py --filmgate $(PROGRAM) --count $(COUNT) $(SCENARIOS)

ways: deps-hotfolder program ## take the same forty shots as a card, from cameras, through a hot folder and by FTP
	python3 Tests/Scenarios/Ways/ways.py --filmgate $(PROGRAM)

studio-browser: deps-studio program ## operate the page with a real browser, by touch and by keys; pictures of it go to SHOTS (SCENARIOS="--contract" tries the API, "--long" lets a tab sleep for ten minutes)
	programs=$$(Tests/Scenarios/Studio/python.sh $(CURDIR)/.build-studio) && \
		"$$programs/python3" Tests/Scenarios/Studio/browser.py --filmgate $(PROGRAM) --shots $(SHOTS) $(SCENARIOS)

studio-webkit: deps-webkit program ## the main path through the page with WebKit, as Safari and GNOME have it; pictures of it go to SHOTS
	python3 Tests/Scenarios/Studio/webkit.py --filmgate $(PROGRAM) --shots $(SHOTS)

peers: deps deps-peers ## run the tests against real servers on this machine, with 3 GB files
	programs=$$(Tests/Scenarios/Peers/python.sh $(CURDIR)/.build-peers) && PATH="$$programs:$$PATH" FILMGATE_PEERS=1 FILMGATE_BIG_FILE=3221225472 \
		SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 $(SWIFT) test --disable-xctest -j $(JOBS) --filter 'Target|SignInTests'

usb: deps-usb program ## plug a camera into a guest with a real USB stack, and pull it in the middle
	python3 Tests/Scenarios/Peers/usb/usb.py --filmgate $(PROGRAM)

vusb: deps-vusb program ## import from libgphoto2's own virtual USB camera
	Tests/Scenarios/Peers/gphoto2/vusb.sh $(PROGRAM)

deb-test: deb deps-usb ## install the package in a clean Debian and boot that in QEMU (as root)
	python3 Tests/Scenarios/Deb/deb.py --deb filmgate_*_$$(dpkg --print-architecture).deb --filmgate $(PROGRAM)

dist-test: dist ## install the package, and run the tarball, each in a clean Debian (as root)
	python3 Tests/Scenarios/Deb/deb.py --no-boot --deb filmgate_*_$$(dpkg --print-architecture).deb --filmgate $(PROGRAM)
	python3 Tests/Scenarios/Deb/tarball.py --tarball filmgate-*-linux-$$(uname -m).tar.gz

##@ Needed programs and libraries (every target installs its own)

deps: ## install the libraries that a build needs, if they are missing
	@.ci/deps.sh build

deps-install:
	@.ci/deps.sh install

deps-lint:
	@.ci/deps.sh lint

deps-test:
	@.ci/deps.sh test

deps-crash:
	@.ci/deps.sh crash

deps-hotfolder:
	@.ci/deps.sh hotfolder

deps-strangers:
	@.ci/deps.sh strangers

deps-deb:
	@.ci/deps.sh deb

deps-bench:
	@.ci/deps.sh bench

deps-peers:
	@.ci/deps.sh peers

deps-usb:
	@.ci/deps.sh usb

deps-vusb:
	@.ci/deps.sh vusb

deps-studio:
	@.ci/deps.sh studio

deps-webkit:
	@.ci/deps.sh webkit

deps-stations:
	@.ci/deps.sh stations
