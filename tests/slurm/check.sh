#!/usr/bin/env bash
# check.sh FOLDER [OPTION...]: gets Slurm as Debian has compiled it, and runs the launchers inside its
# allocations. Nothing is installed. FOLDER keeps the packages. OPTIONs are those of a test binary of Go,
# such as -test.run TestScancel. Needs root. `make check-slurm` calls it.
set -euo pipefail

fail() {
    echo "check-slurm: $*" >&2
    exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || fail "usage: check.sh FOLDER [OPTION...]"
mkdir -p "$1/packages/partial"
folder=$(cd "$1" && pwd)
shift

for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || fail "there is no $tool: Slurm comes as packages of Debian"
done
[ "$(id -u)" = 0 ] || fail "this needs root, which divides the machine into hosts"
if [ ! -e "$folder/complete" ]; then
    # What the system has already is got again, so that the folder has everything of Slurm.
    packages="slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge"
    (cd "$folder/packages" && apt-get -q -o APT::Sandbox::User=root download $packages) &&
        apt-get -q -y --download-only --no-install-recommends -o Dir::Cache::Archives="$folder/packages" install $packages ||
        fail "apt-get cannot get $packages; has apt-get update been run?"
    for package in "$folder"/packages/*.deb; do
        dpkg-deb -x "$package" "$folder/root"
    done
    touch "$folder/complete"
fi

cd "$here"
"${GO:-go}" test -c -tags=slurm -o "$folder/slurm.test" .
"$folder/slurm.test" -test.timeout=20m -test.v -slurm="$folder/root" "$@"
