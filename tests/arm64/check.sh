#!/usr/bin/env bash
# check.sh FOLDER [PART...]: builds GoACP for AArch64 by the cross compilers of Debian, and runs its tests under
# QEMU. On AArch64 it runs them without QEMU. FOLDER keeps a copy of the source, what is built of it, and the logs. A PART
# is a package, such as internal/memory/ring, or the word programs; without one all are run. The environment may
# have JOBS, the number of packages that are tested at a time. `make check-arm64` calls it.
#
# limits.txt names the tests that the emulator cannot run. Each of its rows holds only while its probe fails.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$here/programs.sh"

fail() {
    echo "check-arm64: $*" >&2
    exit 1
}

# processes: the ids of the processes that this check has started and that still run.
processes() {
    local environment
    for environment in /proc/[0-9]*/environ; do
        if grep -qszx "GOACP_CHECK_ARM64=$$" "$environment" 2>/dev/null; then
            environment=${environment%/environ}
            echo "${environment#/proc/}"
        fi
    done
}

# clean ends what the tests have left behind, and removes their files.
clean() {
    local id
    for id in $(processes); do
        kill -KILL "$id" 2>/dev/null || :
    done
    rm -rf "$scratch"
}

# run SECONDS COMMAND...: runs a command for the machine that is tested.
run() {
    local seconds=$1
    shift
    # shellcheck disable=SC2086 # the emulator may have options
    timeout -k 5 "$seconds" env "GOACP_CHECK_ARM64=$$" ${GOACP_TEST_EXEC:-} "$@"
}

# skipped PACKAGE: the tests that limits of the emulator exclude, as an argument of -skip.
skipped() {
    awk -F ' *[|] *' -v package="$1" -v failed=" $failed_probes " '
        $1 == package && index(failed, " " $3 " ") {
            test = $2; parts = ""
            if (match($2, "/")) { test = substr($2, 1, RSTART - 1); parts = substr($2, RSTART) }
            printf "%s^%s$%s", separator, test, parts; separator = "|"
        }' "$here/limits.txt"
}

# probe: runs the programs in probes, and notes in failed_probes the names of those that fail.
probe() {
    local source name
    failed_probes=
    [ -n "$GOACP_TEST_EXEC" ] || return 0
    for source in "$here"/probes/*.c; do
        name=$(basename "$source" .c)
        "$CC" -O2 -Wall -Wextra -Werror -pthread "$source" -o "$scratch/$name" || fail "probe $name does not compile"
        if ! run 60 "$scratch/$name"; then
            failed_probes="$failed_probes $name"
        fi
    done
    stlr_ldar || failed_probes="$failed_probes stlr_ldar"
    echo "arm64: the emulator fails in: $failed_probes"
    awk -F ' *[|] *' -v failed=" $failed_probes " '!/^#/ && NF == 4 && index(failed, " " $3 " ") {
        printf "arm64: left out: %s %s: %s (%s)\n", $1, $2, $4, $3 }' "$here/limits.txt"
}

# stlr_ldar reports whether the emulator keeps the order of a store with release and a later load with acquire (STLR
# and LDAR), which AArch64 orders. It reads the operations into which QEMU translates the two instructions: between the
# store and the load there has to be a barrier (mb) whose argument has bit 2, a load behind a store. Two threads would
# show the fault too, but not in each run.
stlr_ldar() {
    "$CC" -x assembler -nostdlib -static -o "$scratch/stlr_ldar" - <<'END'
.globl _start
_start: sub sp, sp, #16
        mov x1, sp
        mov x2, #1
        stlr x2, [x1]
        ldar x3, [x1]
        mov x0, #0
        mov x8, #93
        svc #0
END
    run 60 -d op -D "$scratch/operations" "$scratch/stlr_ldar" || fail "the emulator does not run three instructions"
    awk '/qemu_st/ { stored = 1; ordered = 0 }
        /^ *mb / { if (substr($2, length($2)) ~ /[2367abef]/) ordered = 1 }
        /qemu_ld/ && stored { loaded = 1; if (!ordered) wrong = 1 }
        END { exit !loaded || wrong }' "$scratch/operations"
}

# copy copies the source, so that nothing of this build gets into the tree of another.
copy() {
    mkdir -p "$folder/source"
    find "$folder/source" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    tar -C "$top" --exclude=./build --exclude=./.git --exclude=./config.mk -cf - . | tar -C "$folder/source" -xf -
}

# package PACKAGE: tests one package. Its last lines are in build/check/arm64-NAME.end of the copy.
package() {
    local name=arm64-${1//\//-} skip limit=15m options=()
    skip=$(skipped "$1")
    case $1 in
        acp|couple|lib/acp) limit=35m ;;
        tests/litmus) limit=30m ;;
    esac
    [ -z "$skip" ] || options=(-skip "$skip")
    [ -z "$GOACP_TEST_EXEC" ] || options+=(-exec "$GOACP_TEST_EXEC")
    options+=(-vet=off -count=1 "-timeout=$limit" "./$1")
    [ "$1" != tests/litmus ] || options+=(-args -rounds="${ROUNDS:-500}")
    env "GOACP_CHECK_ARM64=$$" .ci/gotest "$name" "${options[@]}" >/dev/null 2>&1 </dev/null || :
    cat "build/check/$name.end"
}

# packages: those with tests that need no MPI, no launcher and no other machine. Those of which the tests take longest
# come first.
packages() {
    printf '%s\n' acp lib/acp couple
    "$go" list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... |
        sed -e '/^$/d' -e 's,^github.com/goacp/goacp/,,' |
        grep -v -x -e 'acp\|couple\|lib/acp\|tests\|tests/.*\|mpi\|mpi/.*\|docs\|gen/.*\|bench/.*\|wrappers\|wrappers/.*\|internal/launch'
}

[ $# -ge 1 ] || fail "usage: check.sh FOLDER [PART...]"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift

go=${GO:-go}
GOACP_TEST_EXEC=
if [ "$(uname -m)" != aarch64 ]; then
    host=--host=aarch64-linux-gnu
    CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ GOACP_TEST_EXEC=qemu-aarch64
    export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
    for tool in $CC $CXX $GOACP_TEST_EXEC; do
        command -v "$tool" >/dev/null || fail "there is no $tool: run ./bootstrap --arm64"
    done
else
    host=
    CC=${CC:-gcc} CXX=${CXX:-g++}
fi
export CC CXX GOACP_TEST_EXEC CGO_ENABLED=1 GOARCH=arm64 GOFLAGS=-trimpath
unset MAKEFLAGS MFLAGS MAKELEVEL
begun=$(date +%s)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/goacp-arm64-XXXXXX")
trap clean EXIT
trap 'exit 1' HUP INT TERM
export TMPDIR=$scratch

probe
copy
cd "$folder/source"
rm -rf build/check
if [ $# = 0 ]; then
    mapfile -t parts < <(packages)
    parts=(tests/litmus programs "${parts[@]}")
else
    parts=("$@")
fi
jobs=${JOBS:-$(($(nproc) + 1))}
for part in "${parts[@]}"; do
    while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n || :; done
    # The threads of a litmus test need their processors at the same time.
    if [ "$part" = tests/litmus ]; then
        wait
        package "$part"
    elif [ "$part" = programs ]; then
        programs &
    else
        package "${part#./}" &
    fi
done
wait

# A package whose test program has died counts as one that failed, whatever has passed before.
awk -v begun="$begun" -v now="$(date +%s)" -v want=${#parts[@]} '
    FNR == 1 { bad = 0 }
    / passed, [0-9]+ failed/ { passed += $2; failed += $4; skipped += $6; ends++; bad = $4 }
    /^FAIL/ && bad == 0 { failed++; bad = 1 }
    END {
        failed += want - ends
        printf "arm64: %d s\narm64: %d passed, %d failed, %d skipped\n", now - begun, passed, failed, skipped
        exit failed > 0
    }' build/check/arm64-*.end
