# Sourced by the other scripts: finds a Python, makes the virtual environment and installs parts of arcgraph into it.
# ARCGRAPH_VENV places the environment elsewhere than .venv, ARCGRAPH_PYTHON names the Python to make it with.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${ARCGRAPH_VENV:-$root/.venv}

say() { echo "==> $*" >&2; }
die() { echo "==> $*" >&2; exit 1; }

# is_python COMMAND LOWEST HIGHEST: whether it runs and its minor version lies between the two.
is_python() {
  "$1" -c "import sys; sys.exit(not ((3, $2) <= sys.version_info[:2] <= (3, $3)))" 2>/dev/null
}

find_python() {
  local candidate
  for candidate in ${ARCGRAPH_PYTHON:-python3 python3.13 python3.12 python3.11}; do
    if is_python "$candidate" 11 13; then echo "$candidate"; return; fi
  done
  for candidate in ${ARCGRAPH_PYTHON:-python3 python3.14}; do
    if is_python "$candidate" 14 99; then
      say "only $("$candidate" --version) was found: the static embedder has no build for it, so names are matched by spelling. Python 3.11 to 3.13 gets everything"
      echo "$candidate"
      return
    fi
  done
  die "Python 3.11 or later is needed and was not found; $(python3 --version 2>&1 || true). Install one, or name it with ARCGRAPH_PYTHON"
}

make_venv() {
  local found
  bin=$venv/bin
  [ ! -d "$venv/Scripts" ] || bin=$venv/Scripts
  if is_python "$bin/python" 11 99 && "$bin/python" -m pip --version >/dev/null 2>&1; then return; fi
  if [ -e "$venv" ] && [ ! -f "$venv/pyvenv.cfg" ]; then die "$venv exists and is no virtual environment; set ARCGRAPH_VENV to another place"; fi
  found=$(find_python)
  say "making a virtual environment in $venv with $("$found" --version)"
  "$found" -m venv --clear "$venv" ||
    die "$found cannot make virtual environments (Debian and Ubuntu: apt-get install python3-venv)"
  [ ! -d "$venv/Scripts" ] || bin=$venv/Scripts
}

# install EXTRAS: arcgraph with these extras, in place; nothing to do if that was done since pyproject.toml changed.
install() {
  make_venv
  local stamp=$venv/.arcgraph-${1//,/-} state
  state=$(cd "$root" && "$bin/python" -c 'import hashlib, pathlib, sys
print(hashlib.sha256(pathlib.Path("pyproject.toml").read_bytes() + sys.argv[1].encode()).hexdigest())' "$root")
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ]; then return; fi
  say "installing arcgraph with: ${1//,/, }"
  # Modules are compiled when they are first used: most of these never are.
  "$bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --editable "$root[$1]" ||
    die "the installation failed; see above (a proxy or mirror is set with PIP_INDEX_URL)"
  echo "$state" >"$stamp"
}
