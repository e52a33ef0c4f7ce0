#!/usr/bin/env bash
# Measures the wall time of Global Arrays's own test programs on 2 and 4 processes of this machine, over GoACP
# and over ARMCI-MPI, and prints one table. `make bench-ga` calls it, with the commands of the build in PATH.
#
#     bench/ga.sh [REPETITIONS [PATTERN]]
#
# The libraries take turns, REPETITIONS times (3). A program takes part if its name, such as
# global.testc, matches PATTERN, a regular expression of grep -E. MPIS names the MPIs; without it all
# that configure has found are measured. Samples and table are left in build/bench.
# tests/globalarrays/build.sh gets and builds Global Arrays, bench/armci_mpi.sh gets and builds ARMCI-MPI.
set -euo pipefail
cd "$(dirname "$0")/.."
reps=${1:-3} pattern=${2:-}
out=build/bench
folder=$PWD/build/ga-source
samples=$out/ga-samples.tsv
. bench/measure.sh
limit=240
mpis=${MPIS:-$(config MPIS)}

# These spend many minutes in loops of their own, or need GP arrays, which ARMCI-MPI does not have.
left_out='^global\.(cache_test|kaczmarz|mmatrix)$|^gparrays\.'

build() {
	mkdir -p "$out/ga" # where the programs run: some write files
	"$(config GO)" build -o "$out/table" ./bench/table
	for m in $mpis; do
		d=$out/armci-mpi/$m
		[ -e "$d/lib/libarmci.a" ] || bench/armci_mpi.sh "$(config "${m}_MPICC")" "$d"
		tests/globalarrays/build.sh "$folder" "$m" "$m" "build/armci/$m" --enable-gparrays
		tests/globalarrays/build.sh "$folder" "$m-armci-mpi" "$m" "$d" # which has no GP arrays
	done
}

# clock SOURCE MPI PROCS NAME FILE appends the wall time of a run, if it succeeds.
clock() {
	run=$(launcher "$2") status=0
	begin=$(date +%s%N)
	(cd "$out/ga" && exec timeout -k 5 $limit $run -n "$3" "$5" >printed 2>&1 </dev/null) || status=$?
	end=$(date +%s%N)
	if [ $status = 0 ]; then
		printf '%s\t%s %s/%s\t%s\n' "$1" "$2" "$3" "$4" $((end - begin)) >>"$samples"
	elif [ "$rep" = 1 ]; then
		echo "bench: status $status of $4 over $1 on $3 processes of $2" >&2
	fi
}

launcher() { # MPI
	case $1 in
	openmpi)
		echo env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 \
			OMPI_MCA_btl=self,vader OMPI_MCA_osc=sm,rdma "$(config openmpi_MPIRUN)" --oversubscribe --bind-to none
		;;
	mpich) config mpich_MPIRUN ;;
	esac
}

build
: >"$samples"
for ((rep = 1; rep <= reps; rep++)); do
	echo "bench: repetition $rep of $reps" >&2
	for m in $mpis; do
		while read -r file; do
			name=$(echo "${file%.x}" | sed 's|/testing/|.|; s|/|.|g')
			[[ ! $name =~ $left_out ]] && grep -qE -- "$pattern" <<<"$name" || continue
			for procs in 2 4; do
				clock goacp "$m" $procs "$name" "$folder/$m/$file"
				clock armci-mpi "$m" $procs "$name" "$folder/$m-armci-mpi/$file"
			done
		done <"$folder/$m/tests"
	done
done
machine
"$out/table" -ga -tsv "$out/ga-table.tsv" <"$samples"
