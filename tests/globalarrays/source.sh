#!/usr/bin/env bash
# source.sh FOLDER [OPTION...]: builds Global Arrays from source with libarmci for each MPI, as build.sh does, and
# runs the programs that Global Arrays tests itself with. FOLDER keeps what was built; remove it after a
# change of libarmci's headers. OPTIONs are those of a test binary of Go, such as
# -test.run TestOwn/mpich. Several hosts need root. `make check-ga` calls it.
set -euo pipefail
. "$(dirname "$0")/folder.sh"
shift

for mpi in openmpi mpich; do
    armci=$build/armci/$mpi
    [ -e "$armci/lib/libarmci.so" ] || fail "libarmci is not built for $mpi: run ./configure --with-mpi=all and make"
    "$here/build.sh" "$folder" "$mpi" "$mpi" "$armci" --enable-gparrays
done

cd "$here"
"${GO:-go}" test -c -tags=globalarrays -o "$folder/globalarrays.test" .
"$folder/globalarrays.test" -test.timeout=180m -test.run 'TestOwn' -own="$folder" "$@"
