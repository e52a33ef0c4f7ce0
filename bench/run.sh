#!/bin/sh
# Measures GoACP and package mpi beside raw MPI, memcpy and plain sockets, and prints one
# table.
# `make bench` calls it, with the commands of the build in PATH. As root it also
# measures between two hosts, which are network namespaces of this machine.
#
#     bench/run.sh [REPETITIONS [PART...]]
#
# The parts are mpi, local, gp, rma, couple, startup, elastic, dmi, languages, remote, hosts and memory; without any,
# all are measured. The part languages has a table of its own.
# References and GoACP take turns, REPETITIONS times (5), so that a disturbance of
# the machine meets all of them. Samples and table are left in build/bench.
set -eu
cd "$(dirname "$0")/.."
reps=${1:-5}
[ $# = 0 ] || shift
parts=" ${*:-mpi local gp rma couple startup elastic dmi languages remote hosts memory} "
out=build/bench
samples=$out/samples.tsv
. bench/measure.sh
. bench/elastic.sh
. bench/dmi.sh

build() {
	mkdir -p "$out"
	acpcc -O2 -o "$out/acp_bench" bench/acp_bench.c
	acpcc -O2 -o "$out/gp_bench" bench/gp_bench.c -lgp
	acpcc -O2 -o "$out/couple_bench" bench/couple_bench.c
	build_elastic
	build_dmi
	for p in goacp socket table; do "$(config GO)" build -o "$out/$p" "./bench/$p"; done
	for m in $(config MPIS); do
		"$(config "${m}_MPICC")" -O2 -o "$out/raw_$m" bench/raw_mpi.c
		CGO_ENABLED=1 CGO_CFLAGS="-O2 $(config "${m}_CFLAGS")" CGO_LDFLAGS="$(config "${m}_LDFLAGS")" \
			"$(config GO)" build -tags mpi -o "$out/mpigo_$m" ./bench/mpigo
		for p in acp_bench startup; do macpcc -mpi "$m" -O2 -o "$out/${p}_$m" "bench/$p.c"; done
		macpcc -mpi "$m" -DWITH_MPI -O2 -o "$out/couple_bench_$m" bench/couple_bench.c
		macpgo -mpi "$m" build -o "$out/goacp_$m" ./bench/goacp
		"$(config "${m}_MPICC")" -O2 -o "$out/hello_$m" bench/hello.c
	done
}

acp() { # NP WHAT PROGRAM
	keep acprun -np "$1" -net shm -startermemsize 4m \
		sh -c "exec $(pinned) \"\$0\" \"\$@\"" "$out/$3" "$2"
}

# hooked measures memory of malloc that peers map beside starter memory.
hooked() {
	keep acprun -np 2 -net shm -startermemsize 4m -mhookhuge \
		sh -c "exec $(pinned) \"\$0\" \"\$@\"" "$out/acp_bench" pool
}

# crowd NP WHAT measures more ranks than the two processors which they have.
crowd() {
	keep taskset -c 0,1 acprun -np "$1" -net shm -startermemsize 4m "$out/acp_bench" "$2"
}

# The settings with which Open MPI makes windows over UCX.
ucx="OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any"

raw_mpi() {
	for m in $(config MPIS); do
		case $m in
		openmpi)
			on_openmpi raw_openmpi openmpi-ucx $ucx
			on_openmpi mpigo_openmpi openmpi $ucx
			on_openmpi raw_openmpi openmpi-sm OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=sm
			on_openmpi raw_openmpi openmpi-vader OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=rdma
			;;
		mpich)
			for p in raw_mpich mpigo_mpich; do
				keep "$(config mpich_MPIRUN)" -bind-to core -np 2 "$out/$p" mpich
			done
			;;
		esac
	done
}

# macp RUNNER SIZES COMMAND runs jobs of one MPI, of so many processes each, by windows.
macp() {
	runner=$1 sizes=$2 command=$3
	{
		echo "$sizes" | wc -w
		for n in $sizes; do echo "$launcher"; done
		printf '%s\n' $sizes
		for n in $sizes; do echo "$command"; done
	} >"$out/jobs"
	"$runner" macprun -net rma -startermemsize 4m "$out/jobs"
}

# windows measures accesses by windows beside raw MPI, all started by macprun and thus
# with the same settings, which decide what kind of window MPI makes.
windows() {
	for m in $(config MPIS); do
		launcher="$(config "${m}_MPIRUN") -bind-to core"
		macp keep 2 "$out/raw_$m $m-macprun"
		for p in acp_bench goacp; do macp keep 2 "$out/${p}_$m rma rma-$m"; done
	done
}

# coupling measures steps of links beside the same exchanges by MPI in the same processes.
coupling() {
	for m in $(config MPIS); do
		for np in 2 4; do ranks $m $np "$out/couple_bench_$m" "couple-$m" near; done
	done
	keep acprun -np 4 -net shm "$out/couple_bench" c open
	keep acprun -np 8 -net shm "$out/goacp" links
}

# startup measures how long three jobs take until acp_init has returned to the last of
# their processes, beside three programs of MPI alone from beginning to end.
startup() {
	case " $(config MPIS) " in *" openmpi "*) ;; *) return 0 ;; esac
	begin=$(date +%s%N)
	for n in 1 2 3; do
		env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 $limit \
			"$(config openmpi_MPIRUN)" --oversubscribe -np $n "$out/hello_openmpi" >"$out/hello$n" &
	done
	wait
	end=$(date +%s%N)
	printf 'hello\tstartup\t%d\n' $((end - begin)) >>"$samples"
	launcher=$(config openmpi_MPIRUN)
	begin=$(date +%s%N)
	macp timed "1 2 3" "$out/startup_openmpi"
	if [ "$(wc -l <"$out/times")" = 6 ]; then
		end=$(sort -n "$out/times" | tail -n 1)
		printf 'c\tstartup\t%d\n' $((end - begin)) >>"$samples"
	fi
}

timed() { timeout -k 5 $limit "$@" >"$out/times" || echo "bench: status $? of $*" >&2; }

far() { # PROGRAM
	on_near "$(command -v acprun) -np 2 -nodefile $out/nodes -rsh $PWD/$out/agent -net tcp -startermemsize 4m $PWD/$out/$1 remote"
}

# far_mpi measures windows of Open MPI between the hosts.
far_mpi() {
	case " $(config MPIS) " in *" openmpi "*) ;; *) return 0 ;; esac
	on_near "env $ucx UCX_TLS=tcp,self OMPI_MCA_plm_rsh_agent=$PWD/$out/agent OMPI_ALLOW_RUN_AS_ROOT=1 \
		OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(config openmpi_MPIRUN) --host $near,$far -np 2 \
		$PWD/$out/raw_openmpi openmpi-hosts remote"
	empty_hosts
}

# far_windows measures windows of Open MPI between the hosts beside raw MPI, both started by macprun.
far_windows() {
	case " $(config MPIS) " in *" openmpi "*) ;; *) return 0 ;; esac
	for command in "raw_openmpi openmpi-hosts-macprun remote" "acp_bench_openmpi hosts"; do
		printf '1\n%s\n2\n%s\n' "$(config openmpi_MPIRUN)" "$PWD/$out/$command" >"$out/jobs"
		on_near "env UCX_TLS=tcp,self OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
			$(command -v macprun) -net rma -nodefile $out/nodes -rsh $PWD/$out/agent -startermemsize 4m $out/jobs"
	done
}

measured() { case $parts in *" $1 "*) ;; *) return 1 ;; esac }

build
: >"$samples"
network=no
if measured remote || measured hosts; then
	if two_hosts; then
		network=yes
	else
		echo "bench: no second host: root and network namespaces are needed" >&2
	fi
fi
rep=0
while [ $((rep += 1)) -le "$reps" ]; do
	echo "bench: repetition $rep of $reps" >&2
	if measured mpi; then raw_mpi; fi
	if measured local; then
		for p in acp_bench goacp; do
			acp 2 local $p
			acp 3 third $p
			acp 4 map $p
		done
		hooked
		crowd 3 asleep
		crowd 4 busy
	fi
	if measured gp; then acp 2 local gp_bench; fi
	if measured rma; then windows; fi
	if measured couple; then coupling; fi
	if measured startup; then startup; fi
	if measured elastic; then elastic; fi
	if measured dmi; then
		global_memory
		working
		joining
	fi
	if measured languages; then languages; fi
	if [ $network = yes ] && measured hosts; then far_windows; fi
	if [ $network = yes ] && measured remote; then
		sockets
		far_mpi
		for p in acp_bench goacp gp_bench couple_bench; do far $p; done
		far_working
	fi
done
if measured memory; then
	for np in 2 32 128; do
		for p in acp_bench goacp; do keep acprun -np $np -net shm "$out/$p" memory; done
	done
fi
machine
"$out/table" -tsv "$out/table.tsv" <"$samples"
if measured languages; then
	echo
	"$out/table" -languages -tsv "$out/languages.tsv" <"$samples"
fi
