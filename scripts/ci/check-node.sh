#!/usr/bin/env bash
# Checks the binary of Node that an install script fetched against the digest on record, before it is run.
set -euo pipefail
cd "$(dirname "$0")/../.."

system=$(uname -s)-$(uname -m)
wanted=$(awk -v name="$system" '$2 == name { print $1 }' scripts/ci/node.sha256)
found=$(sha256sum node_modules/node/bin/node)
if [ -z "$wanted" ]; then
  echo "scripts/ci/node.sha256 has no digest of Node for $system; it is ${found%% *}." >&2
  exit 1
elif [ "$wanted" != "${found%% *}" ]; then
  echo "node_modules/node/bin/node is not the Node on record for $system: its SHA-256 is ${found%% *}." >&2
  exit 1
fi
