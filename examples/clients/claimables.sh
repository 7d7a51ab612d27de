#!/bin/sh
# All claimables of an account. An answer with gaps is still 200; `portolan-partial` says what is missing, and why.
#   ./claimables.sh 0xf18adf71266411ff39ffc268843c9a64b3292d86
set -eu
address=$1
claimables_url=${CLAIMABLES_URL:-http://127.0.0.1:8081}

head=$(mktemp)
trap 'rm -f "$head"' EXIT
curl --silent --show-error --fail-with-body --dump-header "$head" "$claimables_url/$address"
echo
grep -i '^portolan-blocks:' "$head" >&2 || true
if grep -i '^portolan-partial:' "$head" >&2; then
    echo 'the answer has gaps' >&2
    exit 3
fi
