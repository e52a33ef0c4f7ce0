#!/bin/sh
# Fetches the newest source of ARMCI-MPI that Debian has, and builds it with the options of the
# benchmarks. Needs the network, apt-get, autoconf, automake and libtool. Nothing is installed outside
# of DIRECTORY, and the lists of packages of the system stay as they are.
#
#     bench/armci_mpi.sh MPICC DIRECTORY
set -eu
mpicc=$1
mkdir -p "$2/apt/lists/partial"
dir=$(cd "$2" && pwd)
log=$dir/log
fail() {
	echo "bench: no ARMCI-MPI: $1: see $log" >&2
	exit 1
}

cd "$dir/apt"
archive=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>"$log" | grep -m1 '/debian/*$') ||
	fail "the sources of apt have no archive of Debian, as they have after apt-get update"
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive sid main" >sources.list
apt() {
	apt-get -q -o Dir::Etc::SourceList="$dir/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$dir/apt/lists" -o Dir::Cache="$dir/apt" "$@"
}
{ apt update && apt source --download-only --tar-only armci-mpi; } >"$log" 2>&1 || fail "it was not fetched"
mkdir -p "$dir/source"
tar -xzf armci-mpi_*.orig.tar.gz -C "$dir/source" --strip-components=1
cd "$dir/source"
{
	autoreconf -i && ./configure --prefix="$dir" --disable-shared CC="$mpicc" CFLAGS=-O2 && make install
} >>"$log" 2>&1 || fail "it was not built"
