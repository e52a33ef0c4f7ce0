#!/usr/bin/env bash
# check.sh CONTEXT FOLDER [MPI...]: builds the image of packaging/container/Containerfile by buildah, in the folder CONTEXT with the
# archive of make dist, and compiles and runs programs in it. The images on which it stands are made here: a clean system by
# debootstrap, and one with the Go of this machine. FOLDER keeps the clean system. `make check-container` calls it, as root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/roots/system.sh
. "$top/tests/roots/system.sh"

fail() {
    echo "check-container: $*" >&2
    exit 1
}

# store COMMAND...: runs buildah with images of this check alone.
store() {
    buildah --root "$folder/images" --runroot "$folder/run" --storage-driver vfs "$@"
}

# image NAME SOURCE TARGET: makes an image of a file or folder at a place in it. An archive is unpacked.
image() {
    local container
    container=$(store from scratch)
    store add -q "$container" "$2" "$3" >/dev/null
    store commit -q "$container" "$1" >/dev/null
    store rm "$container" >/dev/null
}

# expect PATTERN COMMAND: the shell command, run by the user of the image, prints a line that matches.
expect() {
    local out
    out=$(store run --isolation chroot "$container" -- sh -c "$2" 2>&1) || fail "$mpi: $2: $out"
    grep -q -- "$1" <<<"$out" || fail "$mpi: $2: expected $1, found: $out"
}

# check: builds the image with an MPI, and uses it.
check() {
    local container
    store bud -q --pull-never --isolation chroot --build-arg "MPI=$mpi" --build-arg "DEBIAN=$suite" -t "goacp-$mpi" \
        -f "$top/packaging/container/Containerfile" "$context" >"$folder/$mpi.log" 2>&1 ||
        fail "$mpi: the image was not built, see $folder/$mpi.log"
    container=$(store from "goacp-$mpi")
    store copy -q --chown user:user "$container" "$top/examples" /home/user/examples >/dev/null
    expect '^acprun (GoACP)' 'acprun -version'
    expect '^hello from ACP rank 3 of 4' 'acpcc -o hello examples/mixed/hello_world_acp.c && acprun -np 4 ./hello'
    expect '^hello from .*ACP rank 3 of 4' 'macpcc -o mixed examples/mixed/hello_world_macp.c && printf "2\nmpirun\nacprun\n2\n2\n./mixed\n./hello\n" >jobs && macprun -np 4 jobs'
    expect '^2$' 'printf "import goacp\nwith goacp.run() as run:\n    n = run.size\nprint(n)\n" >size.py && acprun -np 2 python3 size.py'
    store rm "$container" >/dev/null
}

[ $# -ge 2 ] || fail "usage: check.sh CONTEXT FOLDER [MPI...]"
[ "$(id -u)" = 0 ] || fail "only root can make systems"
context=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- openmpi mpich
suite=bookworm
system "$suite"
trap 'rm -rf "$folder/images" "$folder/run"' EXIT
go=$("$top/build-aux/findgo")
image "golang:1.26-$suite" "$("$go" env GOROOT)" /usr/local/go
image "debian:$suite" "$folder/$suite.tar" /
for mpi; do
    echo "check-container: $mpi"
    check
done
echo "check-container: the image works with $*"
