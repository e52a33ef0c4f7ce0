#!/usr/bin/env bash
# check.sh PACKAGES FOLDER [SUITE...]: installs the packages of Debian in the folder PACKAGES, which check-debian has
# built, into clean systems that debootstrap makes, as a user does: by apt. Then it builds and runs programs there, and removes
# the packages again. The SUITES are names of releases of Debian, bookworm and trixie without any. Packages of a library for an
# MPI belong to the release on which they were built; in the other releases the check has those that need no MPI. FOLDER
# keeps the systems as debootstrap has made them. `make check-roots` calls it, as root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)

# shellcheck source=tests/roots/system.sh
. "$here/system.sh"

fail() {
    echo "check-roots: $*" >&2
    exit 1
}

# enter ROOT COMMAND...: runs a command in a system, with processes, files and shared memory of its own, which end with it.
enter() {
    local root=$1
    shift
    unshare --mount --pid --fork --kill-child /bin/bash -euc '
        root=$1
        shift
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mkdir -p "$root/dev/shm" "$root/dev/pts"
        mount -t devpts devpts "$root/dev/pts"
        mount -t tmpfs tmpfs "$root/dev/shm"
        exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive "$@"' enter "$root" "$@"
}

# check SUITE: checks the packages in a fresh copy of the system.
check() {
    local suite=$1 root=$folder/$1 own=no names="goacp-bin libacp2 libgp2 libarmci2 libdmi2 python3-goacp" name
    [ "$suite" != "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" ] || own=yes
    [ $own = no ] || names="$names libacp-dev libmacp-openmpi2 libmacp-mpich2"
    rm -rf "$root"
    mkdir -p "$root"
    tar -C "$root" -xf "$folder/$suite.tar"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mkdir -p "$root/packages" "$root/source/docs"
    for name in $names; do
        cp "$packages/$name"_*.deb "$root/packages"
    done
    cp -r "$top/examples" "$root/source"
    cp "$here/inside.sh" "$root/source"
    enter "$root" /bin/bash /source/inside.sh $own || fail "$suite: the check failed, the system is in $root"
    rm -rf "$root"
}

[ $# -ge 2 ] || fail "usage: check.sh PACKAGES FOLDER [SUITE...]"
[ "$(id -u)" = 0 ] || fail "only root can make systems"
packages=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- bookworm trixie
for suite; do
    system "$suite"
    echo "check-roots: $suite"
    check "$suite"
done
echo "check-roots: the packages work in $*"
