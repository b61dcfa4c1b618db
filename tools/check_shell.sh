#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# No shell script has anything for shellcheck to say. Exit status 77: there is no shellcheck.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v shellcheck >/dev/null || { echo "shellcheck is not installed" && exit 77; }
shellcheck -x -P SCRIPTDIR .ci/run tools/*.sh tests/consumer/run.sh tests/consumer/plain/build.sh
