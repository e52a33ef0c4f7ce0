#!/bin/sh
# demo.sh builds these examples and those of ARMCI and Python with the wrapper compilers and runs them. The
# commands of GoACP must be in PATH. Whatever is made, is made in a temporary folder. Only pictures of a coupled
# run stay; the demo says where, and what acpstat saw of that run.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
armci=$(dirname "$here")/armci
python=$(dirname "$here")/python
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

failed=0
pictures= # the folder with those of a coupled run
mpi= # the first of the wrappers, unless we know better
case $(mpirun --version 2>/dev/null) in
*'Open MPI'*) flavour=openmpi ;;
*HYDRA*) flavour=mpich ;;
*) flavour= ;;
esac
if [ -n "$flavour" ] && macpcc -mpi "$flavour" -showme:command >/dev/null 2>&1; then
    mpi=$flavour
fi

# run WHAT COMMAND... shows a command and what it does; a failure does not end the demo.
run() {
    printf '\n== %s\n$ ' "$1"
    shift
    printf '%s ' "$@" | sed "s|$here/||g; s|$armci/||g; s|$python/||g"
    printf '\n'
    status=0
    "$@" || status=$?
    if [ "$status" -ne 0 ]; then
        echo "-- exit status $status"
        failed=$((failed + 1))
    fi
}

# build TARGET builds examples, for the MPI to which mpirun belongs.
build() {
    run "Building: $1" make -s -C "$here" O="$out" MPI="$mpi" "$1"
}

# build_armci TARGET is build for the examples of ARMCI.
build_armci() {
    run "Building: examples of ARMCI, $1" make -s -C "$armci" O="$out" MPI="$mpi" "$1"
}

# couple_python runs the ocean in Python with the air in C, if there is a Python with numpy.
couple_python() {
    for interpreter in python3 /usr/bin/python3; do
        if "$interpreter" -c 'import numpy' 2>/dev/null; then
            # Another example has a program with the name air.
            mkdir -p "$out/python"
            run 'Building: the air in C' make -s -C "$python" O="$out/python"
            sed "s|python3 ocean.py|$interpreter $python/ocean.py|; s|\./air|$out/python/air|" "$python/coupled.yaml" >python.yaml
            run 'An ocean in Python and the air in C, coupled' \
                env PYTHONPATH="$python/../../python" PYTHONDONTWRITEBYTECODE=1 macprun python.yaml
            return
        fi
    done
    printf '\ndemo: there is no Python with numpy, so the ocean in Python was left out\n'
}

# look waits until the painter holds in the middle of its run, and keeps what acpstat says of that run. Then
# the painter goes on.
look() {
    until [ -e "$pictures/picture-0150.png" ]; do
        sleep 0.1
        [ -d "$out" ] || return 0 # the demo has ended
    done
    number=$(acpstat | awk -v pictures="$pictures" 'index($0, pictures) { print $1 }')
    acpstat "$number" >table || true
    touch go-on
}

# paint runs the lake and the air with the painter, and looks at them.
paint() {
    pictures=$(mktemp -d "${TMPDIR:-/tmp}/goacp-demo-pictures-XXXXXX")
    sed "s|./painter|./painter -to $pictures -hold go-on|" "$here/mesh/picture.yaml" >picture.yaml
    : >table
    look &
    run 'The same lake and air, with a program that paints them while they run' \
        macprun -trace "$pictures/run.html" picture.yaml
    kill $! 2>/dev/null || true # if the run has failed, it still waits
    wait $! || true
}

# seen shows what acpstat saw of that run, and where its pictures are.
seen() {
    printf '\nIn the middle of the run with the painter acpstat saw:\n\n'
    cat table
    printf '\nPictures of that run: %s\n' "$pictures/picture-0400.png"
    printf 'What it transferred, for a browser: %s\n' "$pictures/run.html"
    [ "$(grep -cE '^[0-5] +(lake|air|painter) ' table)" -eq 6 ] && [ -s "$pictures/picture-0400.png" ] && [ -s "$pictures/run.html" ]
}

# finish shows what a run transfers, and tells how it went.
finish() {
    run 'The words again, and what the jobs have transferred to count them' \
        macprun -stats -timeout 60 "$here/wordcount/wordcount.inputfile"
    if [ -n "$pictures" ] && ! seen; then
        echo '-- the table or a picture is missing'
        failed=$((failed + 1))
    fi
    if [ "$failed" -ne 0 ]; then
        printf '\ndemo: %d of the above failed\n' "$failed"
        exit 1
    fi
    printf '\ndemo: all of it worked\n'
    exit 0
}

cd "$out"

if ! macpcc -showme:command >/dev/null 2>&1; then
    build plain
    run 'Four processes without MPI, in C' acprun -timeout 60 -np 4 ./hello_world_acp
    run 'Four processes without MPI, in Go' acprun -timeout 60 -np 4 ./hello_acp_go
    run 'A picture by four processes' acprun -timeout 60 -np 4 ./mandelbrot_go
    run 'The words of a text, counted by two jobs' \
        macprun -timeout 60 "$here/wordcount/wordcount.inputfile"
    if acpfc -showme:command >/dev/null 2>&1; then
        build fortran-plain
        run 'Four processes without MPI, in Fortran' acprun -timeout 60 -np 4 ./hello_acp_f
    fi
    build_armci plain
    run 'A product of matrices by ARMCI, in C' acprun -timeout 60 -np 4 ./matmul_acp
    run 'The same in Go' acprun -timeout 60 -np 4 ./matmul_go
    run 'Heat in a plate, by ARMCI' acprun -timeout 60 -np 4 ./stencil_acp
    couple_python
    printf '\ndemo: GoACP was built without MPI, so what needs MPI was left out\n'
    finish
fi

build c
run 'An ACP program and two MPI jobs in one rank space' \
    macprun -timeout 60 -np 6 "$here/inputfile"
run 'The same, described in YAML' \
    macprun -timeout 60 "$here/hello.yaml"
run 'An ocean and an atmosphere, coupled; a third program watches' \
    macprun -timeout 60 "$here/coupled/coupled.inputfile"
run 'A lake on triangles and the air on a grid, coupled with weights; a third program adds up their heat' \
    macprun "$here/mesh/mesh.yaml"
paint
run 'A picture by two jobs, one in Go and one in C with MPI, which share their work' \
    macprun -timeout 60 "$here/mandelbrot/mandelbrot.inputfile"
run 'The words of a text, counted by two jobs' \
    macprun -timeout 60 "$here/wordcount/wordcount.inputfile"
build_armci all
run 'A product of matrices by ARMCI, in Go' acprun -timeout 60 -np 4 ./matmul_go
run 'The same in C, by two MPI jobs in one world' \
    macprun -timeout 60 "$armci/matmul.inputfile"
run 'Heat in a plate, on two MPI jobs' \
    macprun -timeout 60 "$armci/stencil.inputfile"
couple_python

if macpfc ${mpi:+-mpi "$mpi"} -showme:command >/dev/null 2>&1; then
    build fortran
    run 'Hello again: programs in C, in Go and in Fortran in one run' \
        macprun -timeout 60 -np 6 "$here/inputfile-fortran"
    run 'The ocean in C, the atmosphere in Fortran' \
        macprun -timeout 60 "$here/coupled/coupled-fortran.inputfile"
fi

# gompi is made for Open MPI.
if [ "$flavour" = openmpi ]; then
    build go
    run 'Hello again: programs in C and in Go in one run' \
        macprun -timeout 60 -np 6 "$here/inputfile-go"
    run 'The ocean in C, the atmosphere in Go' \
        macprun -timeout 60 "$here/coupled/coupled-go.inputfile"
    run 'Two jobs that enlarge themselves' \
        macprun -timeout 60 "$here/spawn/spawn.inputfile"
fi

if macpcc -mpi openmpi -showme:command >/dev/null 2>&1 && macpcc -mpi mpich -showme:command >/dev/null 2>&1 &&
    command -v mpirun.openmpi >/dev/null && command -v mpirun.mpich >/dev/null; then
    build two-mpis
    run 'The ocean under Open MPI, the atmosphere under MPICH' \
        macprun -timeout 60 "$here/coupled/two-mpis.inputfile"
    run 'The lake under Open MPI, the air under MPICH' \
        macprun "$here/mesh/two-mpis.yaml"
    build_armci two-mpis
    run 'A product of matrices by ARMCI: Open MPI and MPICH in one world' \
        macprun -timeout 60 "$armci/matmul-two-mpis.inputfile"
    run 'Heat in a plate on both' \
        macprun -timeout 60 "$armci/stencil-two-mpis.inputfile"
fi
finish
