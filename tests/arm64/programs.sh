# shellcheck shell=bash disable=SC2154 # check.sh assigns host, folder, scratch and more
# programs.sh is a part of check.sh: it builds the libraries and commands as users do, by ./configure, make and make
# install, compiles programs in C by the wrapper compiler that is installed, and runs them.

# list: the programs, the libraries that they need, the most ranks, and their arguments.
list() {
    cat <<'END'
examples/mixed/hello_world_acp | | 3 |
tests/programs/allgather | | 3 |
tests/programs/reset | | 2 |
tests/programs/counter | | 2 | 200
tests/programs/mailing | | 3 | 10
tests/programs/gma_matrix | | 2 |
tests/programs/ring | | 4 | 20 2
tests/programs/churn | | 2 | 500
tests/programs/pointers | -lgp | 3 |
examples/gp/sparse | -lgp | 2 | 3
examples/gp/adjacency | -lgp | 3 | 100
examples/armci/matmul | -larmci | 3 | 60
examples/armci/stencil | -larmci | 3 | 40
tests/programs/armci/transfers | -larmci | 4 |
tests/programs/armci/aggregate | -larmci | 4 |
tests/programs/armci/messages | -larmci | 4 |
tests/programs/armci/random | -larmci | 3 | 7 60
tests/programs/armci/locks | -larmci | 3 | 7 60
tests/programs/armci/reductions | -larmci | 3 | 7 60
tests/programs/armci/unaligned | -larmci | 3 |
END
}

# installed builds everything, and installs it in the folder image. The compilers of Fortran are left out, as is MPI.
installed() (
    unset CC CXX GOARCH CGO_ENABLED
    # shellcheck disable=SC2086 # no host where none is needed
    ./configure $host --without-mpi --without-fortran --prefix="$folder/image" && make && make install
)

# tell RESULT NAME prints one result as go test does, and counts it.
tell() {
    echo "--- $1: programs/$2"
    case $1 in
        PASS) passed=$((passed + 1)) ;;
        *) failed=$((failed + 1)) ;;
    esac
}

# try NAME COMMAND...: runs a command and tells how it has ended; its output only if it has failed.
try() {
    local name=$1 log=$scratch/programs.log
    shift
    if "$@" >"$log" 2>&1 </dev/null; then
        tell PASS "$name"
    else
        echo "status $? of $*"
        tail -n 60 "$log"
        tell FAIL "$name"
        return 1
    fi
}

# launch SECONDS COMMAND...: runs a command with a deadline.
launch() { timeout -k 5 "$1" env "GOACP_CHECK_ARM64=$$" "${@:2}"; }

# launcher prints the command for acprun. Under an emulator that refuses what acprun needs it is built for this machine, and
# the ranks alone run under the emulator.
launcher() {
    case " $failed_probes " in
        *" child_subreaper "*)
            CGO_ENABLED=0 GOARCH=$("$go" env GOHOSTARCH) "$go" build -buildvcs=false -o "$scratch/acprun" ./acprun
            echo "$scratch/acprun"
            ;;
        *) echo "$GOACP_TEST_EXEC $folder/image/bin/acprun" ;;
    esac
}

# runs tries all programs of the list, each alone and by acprun.
runs() {
    local source libraries ranks arguments program net acprun
    local -x ACP_STARTER_MEMSIZE=$((6 << 20)) # gma_matrix needs it
    acprun=$(launcher)
    while IFS='|' read -r source libraries ranks arguments; do
        source=${source% } ranks=${ranks// /} program=$scratch/programs/${source% }
        mkdir -p "$(dirname "$program")"
        # shellcheck disable=SC2086 # words
        {
            try "${source##*/}/compiled" run 120 "$folder/image/bin/acpcc" -O2 -g -Wall -Wextra -Werror -pthread "$source.c" $libraries -lm -o "$program" || continue
            try "${source##*/}/alone" run 300 "$program" $arguments || :
            for net in shm tcp; do
                try "${source##*/}/$net/$ranks" launch 300 $acprun -np "$ranks" -net $net $GOACP_TEST_EXEC "$program" $arguments || :
            done
        }
    done < <(list)
}

# programs builds, installs and runs. Its last lines are in build/check/arm64-programs.end.
programs() {
    local passed=0 failed=0 first log=build/check/arm64-programs.log end=build/check/arm64-programs.end
    mkdir -p build/check
    first=$(date +%s)
    {
        if installed >build/check/arm64-image.log 2>&1; then
            tell PASS installed
            runs
        else
            tail -n 40 build/check/arm64-image.log
            tell FAIL installed
        fi
    } >"$log" 2>&1
    {
        sed '/^--- PASS/d' "$log"
        echo "arm64-programs: $(($(date +%s) - first)) s"
        echo "arm64-programs: $passed passed, $failed failed, 0 skipped"
    } | tee "$end"
}
