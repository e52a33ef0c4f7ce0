#!/bin/bash
# inside.sh DEVELOPS: the part of check.sh that runs in the clean system. DEVELOPS is yes if the packages for compiling are
# there.
set -euo pipefail
develops=$1

fail() {
    echo "check-roots: $*" >&2
    exit 1
}

# user COMMAND: runs a shell command as a user without rights, in a folder of the user.
user() {
    su -s /bin/bash tester -c "cd /home/tester && export LC_ALL=C.UTF-8 && $1"
}

# expect PATTERN COMMAND: the command, run by the user, prints a line that matches.
expect() {
    local out
    out=$(user "$2" 2>&1) || fail "$2: $out"
    grep -q -- "$1" <<<"$out" || fail "$2: expected $1, found: $out"
}

# files lists all files of the system except for those that apt, dpkg and programs that index others change.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /home -o -path /packages -o -path /source \
        -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /root \) -prune -o -print |
        sort
}

useradd -m tester
apt-get update -q >/dev/null
needed="man-db bash-completion python3-numpy zsh fish"
[ "$develops" = no ] || needed="$needed gcc g++ gfortran make pkg-config cmake libopenmpi-dev openmpi-bin libmpich-dev mpich"
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $needed >/dev/null
python3 -c 'import numpy' # its first import compiles nothing that is counted below
files >/tmp/before

apt-get install -q -y --no-install-recommends /packages/*.deb >/dev/null
expect '^acprun (GoACP)' 'acprun -version'
expect 'ACPRUN(1)\|acprun(1)' 'man acprun | cat'
expect -mhooksmall 'bash -c ". /usr/share/bash-completion/bash_completion; . /usr/share/bash-completion/completions/acprun;
    COMP_WORDS=(acprun -mhooks) COMP_CWORD=1 COMP_LINE=\"acprun -mhooks\" COMP_POINT=14; \$(complete -p acprun | sed \"s/.*-F \\([^ ]*\\).*/\\1/\") acprun -mhooks acprun; echo \${COMPREPLY[@]}"'
expect -mhooksmall 'fish -c "complete -C \"acprun -mhooks\""'
[ -f /usr/share/zsh/vendor-completions/_acprun ] || fail "zsh has no completion of acprun"
cat >/home/tester/sum.py <<'END'
import goacp
with goacp.run() as run:
    mine = run.zeros(1, "i8")
    first = run.broadcast(run.address(mine))
    first[0].add(run.rank + 1).result()
    run.sync()
    if run.rank == 0:
        print("the sum is", mine[0], "with", run.library)
END
expect 'the sum is 10 with libacp ' 'acprun -np 4 python3 sum.py'
expect libacphook.so 'acprun -mhooksmall -np 1 sh -c "echo \$LD_PRELOAD"'

if [ "$develops" = yes ]; then
    cp -r /source/examples /home/tester
    chown -R tester: /home/tester/examples
    expect acp_copy 'man acp_copy | cat'
    # The first example of the demo: an ACP program and two MPI jobs in one rank space.
    user 'mkdir try && make -s -C examples/mixed O=$HOME/try MPI=openmpi $HOME/try/hello_world_acp $HOME/try/hello_world_macp'
    expect 'hello from ACP rank 5 of 6' 'cd try && macprun -timeout 60 -np 6 ../examples/mixed/inputfile'
    # The Python package with the library of an MPI.
    expect '/openmpi/libmacp.so.2 /usr/lib.*/mpich/libmacp.so.2' \
        'python3 -c "from goacp import _find; print(*[next(_find.candidates(f)) for f in (\"openmpi\", \"mpich\")])"'
    for library in acp 'acp-fortran acp' macp-openmpi macp-mpich gp armci gp-openmpi armci-mpich; do
        user "pkg-config --cflags --libs $library >/dev/null" || fail "pkg-config does not find $library"
    done
    user 'cc -o hello examples/mixed/hello_world_acp.c $(pkg-config --cflags --libs acp)'
    expect 'hello from ACP rank 1 of 2' 'acprun -np 2 ./hello'
    user 'acpfc -o hello_f -J. examples/mixed/hello.f90 examples/mixed/hello_world_acp.f90'
    expect 'hello from ACP rank 1 of 2' 'acprun -np 2 ./hello_f'
    user 'mkdir cpp fortran && make -s -C examples/cpp O=$HOME/cpp && make -s -C examples/fortran O=$HOME/fortran'
    expect 'heat 48000.000 before and 48000.000 after' 'cd cpp && macprun ../examples/cpp/coupled.yaml'
    expect 'heat 20.000 before and 20.000 after' 'cd fortran && macprun ../examples/fortran/coupled.yaml'
    cat >/home/tester/sum.cc <<'END'
#include <acp.hpp>
#include <cstdio>
int main(int argc, char **argv) {
    acp::runtime run(argc, argv);
    std::printf("C++ on rank %d of %d\n", run.rank(), run.size());
}
END
    cat >/home/tester/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(programs LANGUAGES C CXX Fortran)
find_package(GoACP REQUIRED COMPONENTS acp fortran macp-openmpi macp-mpich gp armci)
set(CMAKE_CXX_STANDARD 17)
add_executable(in_c examples/mixed/hello_world_acp.c)
add_executable(in_cxx sum.cc)
add_executable(in_fortran examples/mixed/hello.f90 examples/mixed/hello_world_acp.f90)
add_executable(with_mpi examples/mixed/hello_world_macp.c)
target_link_libraries(in_c PRIVATE GoACP::acp)
target_link_libraries(in_cxx PRIVATE GoACP::acp)
target_link_libraries(in_fortran PRIVATE GoACP::fortran GoACP::acp)
target_link_libraries(with_mpi PRIVATE GoACP::macp-openmpi)
END
    user 'cmake -S . -B built >/dev/null && cmake --build built >/dev/null'
    for program in in_c in_fortran; do
        expect 'hello from ACP rank 1 of 2' "acprun -np 2 built/$program"
    done
    expect 'C++ on rank 1 of 2' 'acprun -np 2 built/in_cxx'
fi

for package in /packages/*.deb; do
    dpkg-deb -f "$package" Package
done | xargs apt-get purge -q -y >/dev/null
files >/tmp/after
diff /tmp/before /tmp/after >/tmp/changed || fail "after the packages are removed, these files are new or missing:
$(cat /tmp/changed)"
