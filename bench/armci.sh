#!/bin/sh
# Measures ARMCI of GoACP beside ARMCI-MPI, raw MPI, plain loops and sockets, and prints one table.
# `make bench-armci` calls it, with the commands of the build in PATH. As root it also measures
# between two hosts, which are network namespaces of this machine.
#
#     bench/armci.sh [REPETITIONS]
#
# References and GoACP take turns, REPETITIONS times (5). Samples and table are left in build/bench.
# bench/armci_mpi.sh fetches and builds ARMCI-MPI. Without it, its columns are empty.
set -eu
cd "$(dirname "$0")/.."
reps=${1:-5}
out=build/bench
samples=$out/armci-samples.tsv
. bench/measure.sh

build() {
	mkdir -p "$out"
	acpcc -O2 -o "$out/armci_bench" bench/armci_bench.c -larmci
	for p in socket table; do "$(config GO)" build -o "$out/$p" "./bench/$p"; done
	for m in $(config MPIS); do
		"$(config "${m}_MPICC")" -O2 -o "$out/raw_$m" bench/raw_mpi.c
		d=$out/armci-mpi/$m
		[ -e "$d/lib/libarmci.a" ] || bench/armci_mpi.sh "$(config "${m}_MPICC")" "$d" || continue
		"$(config "${m}_MPICC")" -O2 -I"$d/include" -o "$out/armci_$m" bench/armci_bench.c "$d/lib/libarmci.a"
	done
}

theirs() { # MPI
	case $1 in
	openmpi)
		shared="OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=sm,rdma"
		on_openmpi raw_openmpi openmpi-sm $shared
		if [ -e "$out/armci_openmpi" ]; then on_openmpi armci_openmpi "armci-openmpi local" $shared; fi
		;;
	mpich)
		run="$(config mpich_MPIRUN) -bind-to core -np 2"
		keep $run "$out/raw_mpich" mpich
		if [ -e "$out/armci_mpich" ]; then keep $run "$out/armci_mpich" armci-mpich local; fi
		;;
	esac
}

build
: >"$samples"
network=yes
two_hosts || {
	network=no
	echo "bench: no second host: root and network namespaces are needed" >&2
}
rep=0
while [ $((rep += 1)) -le "$reps" ]; do
	echo "bench: repetition $rep of $reps" >&2
	keep acprun -np 2 -net shm sh -c "exec $(pinned) \"\$0\" \"\$@\"" "$out/armci_bench" goacp local
	for m in $(config MPIS); do theirs "$m"; done
	if [ $network = yes ]; then
		sockets
		on_near "$(command -v acprun) -np 2 -nodefile $out/nodes -rsh $PWD/$out/agent -net tcp $PWD/$out/armci_bench goacp remote"
	fi
done
keep acprun -np 128 -net shm "$out/armci_bench" goacp many
machine
"$out/table" -armci -tsv "$out/armci-table.tsv" <"$samples"
