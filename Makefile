# Filmgate's everyday commands. `make help` lists them.
SWIFT ?= swift
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# With Swift's own libraries inside: it starts faster, and runs where they are not installed.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib -j $(JOBS)
DEBUG_BIN = $(shell $(SWIFT) build --show-bin-path)/filmgate
RELEASE_BIN = $(shell $(SWIFT) build -c release --show-bin-path)/filmgate
# The program that demo, crash and bench run; unset, it is built for release first.
FILMGATE ?=
PROGRAM = $(or $(FILMGATE),$(RELEASE_BIN))
COUNT ?= 100
KILLS = $(if $(filter command line,$(origin COUNT)),$(COUNT),20)
SECONDS_EACH ?= 60
SECONDS_CHAOS ?= 1800
SECONDS_SOAK ?= 1800
# By each of three cameras and into the hot folder.
SHOTS_SOAK ?= 7600
PUSHES_SOAK ?= 20000

.PHONY: chaos soak deb deb-test hotfolder push ways deps-hotfolder deps-strangers strangers deps-deb help deps deps-test deps-peers peers deps-crash deps-bench deps-usb usb deps-vusb vusb build test lint demo crash crash-cameras outage bench fuzz tsan install clean program

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the libraries that a build needs, if they are missing
	@.ci/deps.sh build

deps-crash:
	@.ci/deps.sh crash

deps-hotfolder:
	@.ci/deps.sh hotfolder

deps-strangers:
	@.ci/deps.sh strangers

deps-deb:
	@.ci/deps.sh deb

deps-bench: ## install the programs that `bench` compares with, if they are missing
	@.ci/deps.sh bench

deps-peers: ## install the servers that `peers` starts, if they are missing
	@.ci/deps.sh peers

build: deps ## build the program for release
	$(RELEASE) --product filmgate
	$(RELEASE) --product filmgate-gphoto2

program:
	@$(if $(FILMGATE),test -x $(FILMGATE),$(MAKE) --no-print-directory build)

deps-test:
	@.ci/deps.sh test

test: deps deps-test deps-crash ## build and run all tests
	$(SWIFT) build --build-tests -j $(JOBS)
	python3 Tests/Scenarios/Crash/chaos.py --filmgate $(DEBUG_BIN) --seconds 12 --shots 20
	# Many tests start programs and servers: a few at once, or the slow machine makes them wait for one another.
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=12 .ci/tests.sh $(SWIFT) test --skip-build --disable-xctest

peers: deps deps-peers ## the tests against real servers on this machine, the slow ones and 3 GB files too
	programs=$$(Tests/Scenarios/Peers/python.sh $(CURDIR)/.build-peers) && PATH="$$programs:$$PATH" FILMGATE_PEERS=1 FILMGATE_BIG_FILE=3221225472 \
		SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 $(SWIFT) test --disable-xctest -j $(JOBS) --filter 'Target|SignInTests'

lint: deps ## formatting, house rules, and every pipeline in the repository
	$(SWIFT) build --build-tests -j $(JOBS)
	.ci/lint.sh $(DEBUG_BIN)

demo: program ## a sample card through pipelines/quickstart.yaml, twice
	.ci/demo.sh $(PROGRAM)

crash: deps-crash program ## kill -9 at COUNT random moments of an import, then prove that nothing was lost or doubled
	python3 Tests/Scenarios/Crash/crash.py --filmgate $(PROGRAM) --count $(COUNT)

outage: deps-crash program ## 3,000 files while the network is away for two (shortened) hours, with a restart in them
	python3 Tests/Scenarios/Outage/outage.py --filmgate $(PROGRAM)

crash-cameras: deps-crash program ## the same for `run` with virtual cameras of every make, three at once: COUNT kills for each three
	python3 Tests/Scenarios/Crash/cameras.py --filmgate $(PROGRAM) --count $(KILLS)
	python3 Tests/Scenarios/Crash/resume.py --filmgate $(PROGRAM) --count $(KILLS)

bench: deps-bench program ## measure against cp, rclone, exiftool and exiv2 (BENCH="--quick" for a short look)
	python3 Tests/Scenarios/Bench/bench.py --filmgate $(PROGRAM) $(BENCH)

deps-usb: ## install what `usb` runs: an emulator and what its guest is made of, if they are missing
	@.ci/deps.sh usb

usb: deps-usb program ## plug a camera into a guest with a real USB stack, pull it in the middle, and compare every byte
	python3 Tests/Scenarios/Peers/usb/usb.py --filmgate $(PROGRAM)

deps-vusb: ## install what `vusb` builds libgphoto2's virtual camera with, if it is missing
	@.ci/deps.sh vusb

vusb: deps-vusb program ## find, list and import libgphoto2's own virtual USB camera through the gphoto2 source
	Tests/Scenarios/Peers/gphoto2/vusb.sh $(PROGRAM)

fuzz: deps ## every fuzz target for SECONDS_EACH seconds under AddressSanitizer
	.ci/fuzz.sh $(SECONDS_EACH)

tsan: deps ## all tests under ThreadSanitizer
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan -j $(JOBS)
	# libgphoto2's process limits its own memory, which the sanitizer's shadow does not fit into: without it.
	rm -f "$$($(SWIFT) build --scratch-path .build-tsan --show-bin-path)/filmgate-gphoto2"
	# Tells the sanitizer how Swift's Mutex is handed over; see the file.
	"$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/clang" -shared -fPIC -O2 -o .build-tsan/mutex.so Tests/Sanitizer/mutex.c -ldl
	FILMGATE_SANITIZER=thread SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=12 LD_PRELOAD=$(CURDIR)/.build-tsan/mutex.so \
		$(SWIFT) test --skip-build --disable-xctest --sanitize=thread --scratch-path .build-tsan

install: build ## install the program, its udev rules and its shell completions below PREFIX
	install -D -m 755 $(RELEASE_BIN) $(DESTDIR)$(PREFIX)/bin/filmgate
	install -D -m 755 $(RELEASE_BIN)-gphoto2 $(DESTDIR)$(PREFIX)/libexec/filmgate/filmgate-gphoto2
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/filmgate/profiles pipelines/profiles/*.yaml
	install -d $(DESTDIR)$(PREFIX)/lib/udev/rules.d
	$(RELEASE_BIN) doctor --udev-rules > $(DESTDIR)$(PREFIX)/lib/udev/rules.d/70-filmgate-cameras.rules
	install -d $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(RELEASE_BIN) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/filmgate
	$(RELEASE_BIN) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_filmgate
	$(RELEASE_BIN) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/filmgate.fish

chaos: deps-crash program ## cables, Wi-Fi, servers and the program pulled at random for SECONDS_CHAOS seconds of a shoot
	python3 Tests/Scenarios/Crash/chaos.py --filmgate $(PROGRAM) --seconds $(SECONDS_CHAOS) --shots 2000 --pushes 2000 --largest 100000 \
		--every $$(($(SECONDS_CHAOS) * 900 / 2000)) --patience 240

soak: deps-crash program ## eight hours of a shoot in SECONDS_SOAK seconds, 30,000 shots with faults and PUSHES_SOAK pushes over FTP; memory, files and threads must not grow
	python3 Tests/Scenarios/Crash/chaos.py --filmgate $(PROGRAM) --steady --seconds $(SECONDS_SOAK) --shots $(SHOTS_SOAK) --pushes $(PUSHES_SOAK) \
		--every $$(($(SECONDS_SOAK) * 900 / $(SHOTS_SOAK))) --largest 12000 --patience 600

deb: deps-deb build ## a Debian package of the program, its unit, rules, manual, completions and profiles
	.ci/deb.sh $(RELEASE_BIN) .

deb-test: deb deps-usb ## install the package in a clean Debian, boot that in QEMU, drop a card's dump into the watched folder (as root)
	python3 Tests/Scenarios/Deb/deb.py --deb filmgate_*_$$(dpkg --print-architecture).deb --filmgate $(RELEASE_BIN)

hotfolder: deps-hotfolder program ## hostile writers and real servers put files into a watched folder; each delivered once and whole
	python3 Tests/Scenarios/HotFolder/hotfolder.py --filmgate $(PROGRAM)

push: deps-hotfolder program ## lftp, curl and a replay of what bodies send push 500 files over FTPS; what must be refused is refused
	python3 Tests/Scenarios/Push/push.py --filmgate $(PROGRAM)

strangers: deps-strangers program ## Apache, lighttpd, WsgiDAV, rclone, asyncssh, pyftpdlib, ncftp, lftp, curl over a network that breaks: 50 files each, once and whole
	programs=$$(Tests/Strangers/python.sh $(CURDIR)/.build-strangers) && \
		PATH="$$PATH:/usr/sbin" python3 Tests/Strangers/strangers.py --filmgate $(PROGRAM) --programs "$$programs"

ways: deps-hotfolder program ## the same forty shots as a card, from cameras, through a hot folder and by FTP: all the same
	python3 Tests/Scenarios/Ways/ways.py --filmgate $(PROGRAM)

clean: ## remove everything that was built
	rm -rf .build .build-tsan .build-fuzz
