#!/usr/bin/env bash
# build.sh FOLDER NAME MPI ARMCI [OPTION...]: builds the newest source of Global Arrays that Debian has for MPI and for
# the libarmci in ARMCI/lib, with the programs that Global Arrays tests itself with. OPTIONs are those of
# its configure script. FOLDER/source keeps the source, FOLDER/NAME what was built. The file FOLDER/NAME/tests lists the programs. What is there already is not
# built again: remove FOLDER/NAME after a change of the headers of libarmci. Nothing is installed, and
# the lists of packages of the system stay as they are. source.sh and bench/ga.sh call this.
set -euo pipefail

fail() {
    echo "Global Arrays: $*" >&2
    exit 1
}

[ $# -ge 4 ] || fail "usage: build.sh FOLDER NAME MPI ARMCI [OPTION...]"
mkdir -p "$1/apt/lists/partial" "$1/source" "$1/$2"
folder=$(cd "$1" && pwd) name=$2 mpi=$3 armci=$(cd "$4" && pwd)
shift 4

for tool in apt-get autoreconf libtoolize gfortran; do
    command -v "$tool" >/dev/null || fail "there is no $tool: the source comes from Debian and needs autoconf, automake, libtool and gfortran"
done

# Debian's own configure script would be older than the tools, and autogen.sh of Global Arrays downloads
# tools. autoreconf does neither.
if [ ! -x "$folder/source/configure" ]; then
    archive=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -m1 '/debian/*$') ||
        fail "the sources of apt have no archive of Debian, as they have after apt-get update"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive sid main" >"$folder/apt/sources.list"
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
cd "$folder/$name"
[ ! -e tests ] || exit 0
{
    ../source/configure --enable-cxx "$@" --with-armci="$armci -Wl,-rpath,$armci/lib" \
        --without-blas --without-lapack --without-scalapack \
        MPICC="mpicc.$mpi" MPICXX="mpicxx.$mpi" MPIF77="mpif90.$mpi" CFLAGS=-O2 CXXFLAGS=-O2 FFLAGS=-O2 &&
        grep -q 'ARMCI_NETWORK_LIBS=.*-larmci' config.log && make -j2 && make -j2 checkprogs
} >log 2>&1 || fail "it was not built for $mpi: see $folder/$name/log"
{ printf '%s' "$list" | make -s -f - list-of-tests && find gparrays -name '*.x'; } >tests.new
mv tests.new tests
