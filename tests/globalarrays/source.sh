#!/usr/bin/env bash
# source.sh FOLDER [OPTION...]: gets the newest source of Global Arrays that Debian has, builds it with
# libarmci for each MPI, and runs the programs that Global Arrays tests itself with. Nothing is
# installed, and the lists of packages of the system stay as they are. FOLDER keeps what was built; remove
# it after a change of libarmci's headers. OPTIONs are those of a test binary of Go, such as
# -test.run TestOwn/mpich. Several hosts need root. `make check-ga` calls it.
set -euo pipefail

fail() {
    echo "check-ga: $*" >&2
    exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../../build" && pwd) || fail "run make first"
[ $# -ge 1 ] || fail "usage: source.sh FOLDER [OPTION...]"
mkdir -p "$1/apt/lists/partial" "$1/source"
folder=$(cd "$1" && pwd)
shift
mpis="openmpi mpich"

for tool in apt-get autoreconf libtoolize gfortran; do
    command -v "$tool" >/dev/null || fail "there is no $tool: the source of Global Arrays comes from Debian and needs autoconf, automake, libtool and gfortran"
done

# Debian's own configure script would be older than the tools, and autogen.sh of Global Arrays downloads
# tools. autoreconf does neither.
if [ ! -x "$folder/source/configure" ]; then
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$folder/apt/sources.list"
    apt() {
        apt-get -q -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt" -o APT::Sandbox::User=root "$@"
    }
    {
        cd "$folder/apt" && apt update && apt source --download-only --tar-only ga &&
            tar -xzf ga_*.orig.tar.gz -C "$folder/source" --strip-components=1 &&
            cd "$folder/source" && autoreconf -if
    } >"$folder/source.log" 2>&1 || fail "there is no source: see $folder/source.log"
fi

# The target prints what Global Arrays's own `make check` starts on several processes.
list='include Makefile
list-of-tests:
	@printf "%s\\n" $(PARALLEL_TESTS) | sort -u
'
for mpi in $mpis; do
    armci=$build/armci/$mpi
    [ -e "$armci/lib/libarmci.so" ] || fail "libarmci is not built for $mpi: run ./configure --with-mpi=all and make"
    mkdir -p "$folder/$mpi"
    cd "$folder/$mpi"
    [ ! -e tests ] || continue
    {
        ../source/configure --enable-cxx --enable-gparrays --with-armci="$armci -Wl,-rpath,$armci/lib" \
            --without-blas --without-lapack --without-scalapack \
            MPICC=mpicc.$mpi MPICXX=mpicxx.$mpi MPIF77=mpif90.$mpi CFLAGS=-O2 CXXFLAGS=-O2 FFLAGS=-O2 &&
            grep -q 'ARMCI_NETWORK_LIBS=.*-larmci' config.log && make -j2 && make -j2 checkprogs
    } >log 2>&1 || fail "Global Arrays was not built for $mpi: see $folder/$mpi/log"
    { printf '%s' "$list" | make -s -f - list-of-tests && ls gparrays/testing/*.x; } >tests.new
    mv tests.new tests
done

cd "$here"
"${GO:-go}" test -c -tags=globalarrays -o "$folder/globalarrays.test" .
"$folder/globalarrays.test" -test.timeout=180m -test.run 'TestOwn' -own="$folder" "$@"
