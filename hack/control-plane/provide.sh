#!/usr/bin/env bash
# Provides kube-apiserver, etcd and kubectl in the layout that kube-api-test expects, in a cache outside the checkout.
# Prints the directory for KUBE_API_TEST_DIR on standard output; everything else goes to standard error.
set -euo pipefail

usage() {
  cat >&2 <<'USAGE'
usage: provide.sh [--check] [--help]

Provides kube-apiserver, etcd and kubectl for tests and `make quickstart`, and prints their directory.
  already in the cache      used as they are
  Go 1.26 or newer on PATH  built from the pinned modules beside this script (about 12 minutes on two cores)
  neither                   kube-api-test downloads them at its first start

  --check   exit 0 when the binaries are in the cache, 1 otherwise; builds nothing
  RSTREAM_CACHE_DIR   cache directory (default: $XDG_CACHE_HOME/rstream-operator or ~/.cache/rstream-operator)
USAGE
}

check_only=false
case "${1:-}" in
  "") ;;
  --check) check_only=true ;;
  --help) usage; exit 0 ;;
  *) echo "provide.sh: unknown argument '$1'" >&2; usage; exit 2 ;;
esac

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kubernetes=$(sed -n 's/^require k8s.io\/kubernetes v//p' "$here/kubernetes/go.mod")
[ -n "$kubernetes" ] || kubernetes=$(sed -n 's/^\tk8s.io\/kubernetes v\([0-9.]*\).*/\1/p' "$here/kubernetes/go.mod")
[ -n "$kubernetes" ] || { echo "provide.sh: no k8s.io/kubernetes version in $here/kubernetes/go.mod" >&2; exit 1; }
root="${RSTREAM_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/rstream-operator}/control-plane"
os=$(uname -s | tr '[:upper:]' '[:lower:]')
case "$(uname -m)" in x86_64) arch=amd64 ;; aarch64 | arm64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
target="$root/k8s/$kubernetes-$os-$arch"

complete() { [ -x "$target/kube-apiserver" ] && [ -x "$target/kubectl" ] && [ -x "$target/etcd" ]; }
go_is_new_enough() {
  command -v go >/dev/null || return 1
  local version
  version=$(go env GOVERSION | sed 's/^go//')
  [ "$(printf '%s\n1.26\n' "$version" | sort -V | head -n 1)" = 1.26 ]
}

if complete; then echo "$root"; exit 0; fi
if $check_only; then exit 1; fi
mkdir -p "$root"
if ! go_is_new_enough; then
  echo "control plane: no Go 1.26 on PATH, so kube-api-test will download Kubernetes $kubernetes at its first start" >&2
  echo "$root"
  exit 0
fi

# One build at a time: a second caller waits and then finds the result. The lock lives with the cache.
exec 9>"$root/.lock"
flock 9 2>/dev/null || true
if complete; then echo "$root"; exit 0; fi
mkdir -p "$target"

minor=$(echo "$kubernetes" | cut -d. -f2)
version_package=k8s.io/component-base/version
kubernetes_flags="-s -w -X $version_package.gitVersion=v$kubernetes -X $version_package.gitMajor=1 -X $version_package.gitMinor=$minor
  -X $version_package.gitTreeState=clean -X $version_package.gitCommit=$kubernetes -X $version_package.buildDate=1970-01-01T00:00:00Z"

build() { # module directory, package, binary name, linker flags, minutes when cold
  [ -x "$target/$3" ] && return 0
  local started=$SECONDS pid
  echo "control plane: building $3 (about $5 on two cores when nothing is cached)" >&2
  (cd "$here/$1" && CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath -ldflags "$4" -o "$target/.$3.part" "$2") >&2 9>&- &
  pid=$!
  trap 'kill $pid 2>/dev/null || true; rm -f "$target"/.*.part' EXIT
  while kill -0 $pid 2>/dev/null; do
    sleep 1
    if [ $(((SECONDS - started) % 30)) -eq 29 ]; then echo "control plane: $3 still building, $((SECONDS - started)) s" >&2; fi
  done
  wait $pid || { echo "control plane: building $3 failed; the compiler's message is above" >&2; exit 1; }
  trap - EXIT
  mv "$target/.$3.part" "$target/$3"
  echo "control plane: $3 ready after $((SECONDS - started)) s" >&2
}
build etcd go.etcd.io/etcd/server/v3 etcd "-s -w" "90 s"
build kubernetes k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver "$kubernetes_flags" "10 min"
build kubernetes k8s.io/kubernetes/cmd/kubectl kubectl "$kubernetes_flags" "1 min"
echo "$root"
