# A thin list around Maven: `make help` shows the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export JAVA_HOME := $(shell hack/jdk.sh 2>/dev/null)
# Maven 3.8 uses a part of sun.misc.Unsafe that JDK 25 warns about.
export MAVEN_OPTS := $(if $(JAVA_HOME),--sun-misc-unsafe-memory-access=allow) $(MAVEN_OPTS)

IMAGE ?= docker.io/rstream/rstream-operator:dev
AGENT_IMAGE ?= $(IMAGE)
KUBECTL ?= $(shell command -v kubectl || ls "$${RSTREAM_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}/rstream-operator}"/control-plane/k8s/*/kubectl 2>/dev/null | tail -n 1)
MVN := mvn --batch-mode --no-transfer-progress -Dstyle.color=never
JAVA = "$(JAVA_HOME)/bin/java"
MODULES := process api protocol test-cluster agent engine operator test-e2e
CLASSPATH_FILE := test-e2e/target/quickstart.classpath
SOURCES := pom.xml $(MODULES:%=%/pom.xml) $(shell find $(MODULES:%=%/src/main) -type f 2>/dev/null)

##@ Everyday
.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: quickstart
quickstart: jdk control-plane $(CLASSPATH_FILE) ## Run everything here: API server, engine, operator, agents, a demo Service (ONCE=1: answer and exit)
	@exec $(JAVA) -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "$$(cat $(CLASSPATH_FILE))" io.rstream.e2e.Quickstart $(if $(ONCE),--once)

.PHONY: build
build: jdk ## Compile and package every module without running tests
	$(MVN) package -DskipTests

.PHONY: test
test: jdk control-plane python-sdk ## Check the formatting, compile and run every test
	$(MVN) verify

.PHONY: bench
bench: jdk control-plane $(CLASSPATH_FILE) ## Print memory and throughput figures of agent and engine
	@exec $(JAVA) --enable-native-access=ALL-UNNAMED -cp "$$(cat $(CLASSPATH_FILE))" io.rstream.e2e.bench.Benchmark

.PHONY: bench-operator
bench-operator: jdk control-plane $(CLASSPATH_FILE) ## Print figures of the operator (TUNNELS=1000 RATE=50 IDLE=1 minutes, STAND_IN=1)
	@exec $(JAVA) -XX:+UseSerialGC -Xmx1g --enable-native-access=ALL-UNNAMED -cp "$$(cat $(CLASSPATH_FILE))" io.rstream.e2e.scale.OperatorBenchmark --tunnels=$(or $(TUNNELS),1000) --rate=$(or $(RATE),50) --idle=$(or $(IDLE),1) $(if $(STAND_IN),--stand-in) $(BENCH_FLAGS)

.PHONY: reliability
reliability: jdk control-plane $(CLASSPATH_FILE) ## Break everything once and write the table of docs/reliability.md (about 10 minutes)
	@exec $(JAVA) -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "$$(cat $(CLASSPATH_FILE))" io.rstream.e2e.reliability.Reliability

.PHONY: e2e
e2e: ## Run the suites that need a real node
	$(call not-yet,the suites on a real node,issue 6)

##@ Source
.PHONY: generate
generate: jdk control-plane ## Write everything that is generated and checked in: CRDs, golden files, pages of docs/
	$(MVN) -q test -pl api,operator,test-e2e -am -Dgenerate=true -Dsurefire.failIfNoSpecifiedTests=false '-Dtest=CustomResourceDefinitionsTest,ReasonsDocumentTest,Golden*Test,CompatibilityPageTest'

.PHONY: manifests
manifests: generate ## Same as generate (the name that users of this operator know)

.PHONY: fmt
fmt: jdk ## Format the sources
	$(MVN) -q spotless:apply

##@ Cluster
.PHONY: run
run: jdk $(CLASSPATH_FILE) ## Run the operator here against the current kubeconfig
	@exec $(JAVA) -cp "$$(cat $(CLASSPATH_FILE))" io.rstream.operator.OperatorMain --agent-image=$(AGENT_IMAGE)

.PHONY: install
install: ## Install the custom resource definitions into the current cluster
	$(call need-kubectl)
	"$(KUBECTL)" apply --server-side -k config/crd

.PHONY: uninstall
uninstall: ## Remove the custom resource definitions, and with them every connection and tunnel
	$(call need-kubectl)
	"$(KUBECTL)" delete --ignore-not-found -k config/crd

.PHONY: deploy undeploy
deploy: ## Install the operator into the current cluster
	$(call not-yet,the images,issue 6)
undeploy: ## Remove the operator from the current cluster
	$(call not-yet,the images,issue 6)

##@ Packaging
.PHONY: images helm-lint
images: ## Build the images
	$(call not-yet,the images,issue 6)
helm-lint: ## Check the chart
	$(call not-yet,the charts,issue 6)

##@ Called by the others
.PHONY: jdk
jdk: ## Check that a JDK 25 is here
	@hack/jdk.sh >/dev/null
	@command -v mvn >/dev/null || { echo "Maven was not found: install Maven 3.8.7 or newer" >&2; exit 1; }

.PHONY: control-plane
control-plane: ## Provide kube-apiserver, etcd and kubectl (built once per machine, about 10 minutes)
	@hack/control-plane/provide.sh >/dev/null

.PHONY: python-sdk
python-sdk: ## Provide the official rstream SDK for Python (once per machine)
	@hack/python-sdk/provide.sh >/dev/null

.PHONY: clean
clean: ## Remove what was built in the checkout
	rm -rf target $(MODULES:%=%/target)

$(CLASSPATH_FILE): $(SOURCES)
	@echo "Building (about two minutes the first time, since Maven fetches the libraries)"
	@$(MVN) -q process-classes -pl test-e2e -am -Dspotless.check.skip=true
	@touch $@

define not-yet
	@echo "make $@: not possible yet, because $(1) come with $(2)" >&2; exit 1
endef
define need-kubectl
	@test -n "$(KUBECTL)" || { echo "kubectl was not found: install it, or run make control-plane" >&2; exit 1; }
endef
