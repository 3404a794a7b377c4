#!/usr/bin/env bash
# Provides a Python with the official rstream SDK in a virtual environment outside the checkout, and prints its interpreter.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache="${RSTREAM_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/rstream-operator}/python-sdk"
target="$cache/$(cksum <"$here/requirements.txt" | cut -d' ' -f1)"
if [ ! -e "$target/.complete" ]; then
  command -v python3 >/dev/null || { echo "python-sdk: python3 was not found; install Python 3.10 or newer with its venv module" >&2; exit 1; }
  echo "python-sdk: installing the rstream SDK for Python (once per machine)" >&2
  mkdir -p "$cache"
  exec 9>"$cache/.lock"
  flock 9 2>/dev/null || true
  if [ ! -e "$target/.complete" ]; then
    rm -rf "$target"
    python3 -m venv "$target" >&2
    "$target/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" >&2
    touch "$target/.complete"
  fi
fi
echo "$target/bin/python"
