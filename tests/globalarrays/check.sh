#!/usr/bin/env bash
# check.sh FOLDER [OPTION...]: gets Global Arrays as Debian has compiled it, links the programs of this
# folder with it and with libarmci, and runs them. Nothing is installed. FOLDER keeps the packages and
# the programs. OPTIONs are those of a test binary of Go, such as -test.run TestGlobalArrays/mpich.
# Several hosts need root. `make check-ga` calls it.
set -euo pipefail
. "$(dirname "$0")/folder.sh"
shift
mkdir -p "$folder/packages"
mpis="openmpi mpich"

for tool in apt-get dpkg-deb gfortran; do
    command -v "$tool" >/dev/null || fail "there is no $tool: Global Arrays comes as a Debian package, and one program is in Fortran"
done
for mpi in $mpis; do
    [ -e "$build/armci/$mpi/lib/libarmci.so" ] || fail "libarmci is not built for $mpi: run ./configure --with-mpi=all and make"
    for compiler in mpicc mpicxx mpif90; do
        command -v $compiler.$mpi >/dev/null || fail "there is no $compiler.$mpi"
    done
done

# Global Arrays, and the libraries of linear algebra that Debian has compiled it for.
packages="libglobalarrays-dev liblapack-dev liblapack3 libblas-dev libblas3"
for mpi in $mpis; do
    library=$(apt-cache depends "libscalapack-$mpi-dev" 2>/dev/null |
        sed -n "s/.*Depends: \(libscalapack-$mpi[0-9].*\)/\1/p") ||
        fail "apt knows no package libscalapack-$mpi-dev; has apt-get update been run?"
    packages="$packages libscalapack-$mpi-dev $library"
done
if [ ! -e "$folder/packages/complete" ]; then
    (cd "$folder/packages" && apt-get -q -o APT::Sandbox::User=root download $packages) ||
        fail "apt-get cannot get the packages $packages; has apt-get update been run?"
    for package in "$folder"/packages/*.deb; do
        dpkg-deb -x "$package" "$folder/root"
    done
    touch "$folder/packages/complete"
fi

include=$folder/root/usr/include
libraries=$(echo "$folder"/root/usr/lib/*-linux-gnu*)
[ -e "$libraries/libga-openmpi.a" ] || fail "the package libglobalarrays-dev has no libga-openmpi.a"

# compile MPI SOURCE COMPILER ARGUMENT...: the program gets libarmci from the folder that programs such
# as Global Arrays are told of.
compile() {
    local mpi=$1 source=$2 compiler=$3 armci=$build/armci/$1
    shift 3
    "$compiler.$mpi" -O2 -g -Wall -I"$include" -I"$armci/include" -I"$build/include" "$here/programs/$source" "$@" \
        "$libraries/libga-$mpi.a" -L"$armci/lib" -larmci -lmacp \
        -L"$libraries" -L"$libraries/lapack" -L"$libraries/blas" "-lscalapack-$mpi" -llapack -lblas -lgfortran -lm \
        "-Wl,-rpath,$armci/lib:$libraries:$libraries/lapack:$libraries/blas" \
        -o "$folder/programs/$mpi/${source%.*}"
}

for mpi in $mpis; do
    rm -rf "${folder:?}/programs/$mpi"
    mkdir -p "$folder/programs/$mpi"
    for path in "$here"/programs/*; do
        source=${path##*/}
        case $source in
        *.c) compile $mpi "$source" mpicc ;;
        *.cc) compile $mpi "$source" mpicxx "$libraries/libga++-$mpi.a" ;;
        *.F90) compile $mpi "$source" mpif90 -fdefault-integer-8 ;; # as Debian has compiled the library
        esac
    done
done

cd "$here"
"${GO:-go}" test -c -tags=globalarrays -o "$folder/globalarrays.test" .
"$folder/globalarrays.test" -test.timeout=60m -test.run 'TestGlobalArrays|TestTwoMPIs' -programs="$folder/programs" "$@"
