# How bench/run.sh measures runs that grow and shrink, and the languages beside C. bench/measure.sh comes before it.

# The python3 that has numpy; empty if there is none.
python=
for p in python3 /usr/bin/python3; do
	if [ -z "$python" ] && "$p" -c 'import numpy' 2>/dev/null; then python=$p; fi
done

build_elastic() {
	for p in guest_bench elastic_bench startup; do acpcc -O2 -o "$out/$p" "bench/$p.c"; done
	if [ -n "$(config CXX)" ]; then acpc++ -std=c++17 -O2 -o "$out/cpp_bench" bench/cpp_bench.cc; fi
	case " $(config MPIS) " in *" openmpi "*) "$(config openmpi_MPICC)" -O2 -o "$out/spawn_openmpi" bench/spawn_mpi.c ;; esac
}

# reside LAUNCHER WHAT... starts a run in the background to which others attach, and waits until it is ready. guest runs a
# guest of it, and dismiss ends it. If it does not become ready, reside ends it and fails.
reside() {
	command=$1
	shift
	rm -f "$out/resident"
	"$command" -timeout $limit "$@" >"$out/resident" 2>"$out/resident.errors" &
	resident=$!
	tries=0
	until grep -q '^pid' "$out/resident" 2>/dev/null; do
		if [ $((tries += 1)) -gt 400 ] || ! kill -0 $resident 2>/dev/null; then
			echo "bench: not ready: $command $*" >&2
			sed 's/^/    /' "$out/resident.errors" | head -n 5 >&2
			dismiss
			return 1
		fi
		sleep 0.05
	done
}

guest() { keep acprun -to $resident -np 1 "$@"; }

# dismiss ends the run in the background, and keeps its samples.
dismiss() {
	kill -TERM $resident 2>/dev/null || :
	finish
}

# finish waits until the run in the background has ended, and keeps its samples.
finish() {
	wait $resident || :
	resident=
	awk -F '\t' 'NF == 3' "$out/resident" >>"$samples"
}

# attached SOURCE OPTION... measures from the command until acp_init has returned.
attached() {
	source=$1
	shift
	begin=$(date +%s%N)
	timed acprun "$@" -np 1 "$out/startup"
	if [ -s "$out/times" ]; then printf '%s\tattach\t%d\n' "$source" $(($(cat "$out/times") - begin)) >>"$samples"; fi
}

# attaching measures guests that attach to a run that does nothing, beside runs of their own.
attaching() {
	reside acprun -np 1 "$out/guest_bench" resident || return 0
	for n in 1 2 3 4 5 6 7 8 9; do
		attached "own run" -timeout $limit
		attached c -to $resident
	done
	dismiss
}

# stepping RANKS measures the steps of a model while guests attach, and while other runs start.
stepping() {
	reside acprun -np $1 -net shm "$out/guest_bench" model || return 0
	pid=$(sed -n 's/^pid //p' "$out/resident")
	for n in 1 2 3 4 5 6 7 8 9; do
		timed acprun -np 1 "$out/startup"
		kill -USR1 "$pid"
		sleep 0.1
		guest "$out/guest_bench" visit $n
		sleep 0.1
	done
	dismiss
}

reading() {
	local_socket streamarray
	reside acprun -np 1 "$out/guest_bench" resident || return 0
	guest "$out/guest_bench" read
	dismiss
}

# watching measures a guest that watches a field, by each of the commands.
watching() {
	reside acprun -np 1 "$out/guest_bench" publish || return 0
	for command; do guest $command watch; done
	dismiss
}

# local_socket FIGURE measures sockets between two processes of this host: one figure, or all.
local_socket() {
	rm -f "$out/address"
	timeout -k 5 $limit "$out/socket" serve 127.0.0.1 ${1:-} >"$out/address" &
	server=$!
	tries=0
	until [ -s "$out/address" ] || [ $((tries += 1)) -gt 100 ]; do sleep 0.05; done
	keep "$out/socket" measure "$(cat "$out/address")" ${1:-}
	wait $server || :
	server=
}

growing() {
	keep acprun -max 6 -np 1 "$out/elastic_bench" adopt "one rank"
	keep acprun -max 6 -np 6 "$out/elastic_bench" adopt c
	case " $(config MPIS) " in
	*" openmpi "*)
		# Processes that are bound share a processor with those that they have started.
		keep env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp \
			"$(config openmpi_MPIRUN)" --oversubscribe --bind-to none -np 2 "$out/spawn_openmpi" openmpi
		;;
	esac
	keep acprun -max 42 -np 2 "$out/elastic_bench" grow
	for n in 1 2 3; do keep acprun -max 2 -np 2 -startermemsize-dl 2g "$out/elastic_bench" leave; done
}

elastic() {
	attaching
	stepping 2
	stepping 1
	reading
	watching "$out/guest_bench"
	growing
}

# languages measures C++ and Python beside C.
languages() {
	acp 2 local acp_bench
	keep acprun -np 2 -net shm "$out/couple_bench" c near
	if [ -n "$(config CXX)" ]; then
		keep acprun -np 4 -net shm sh -c "exec $(pinned) \"\$0\"" "$out/cpp_bench"
	fi
	if [ -z "$python" ]; then
		[ "$rep" -gt 1 ] || echo "bench: no Python with numpy" >&2
		return 0
	fi
	PYTHONPATH=$PWD/python
	export PYTHONPATH
	keep acprun -np 2 -net shm sh -c "exec $(pinned) \"\$0\" \"\$@\"" "$python" bench/python_bench.py pair
	watching "$out/guest_bench" "$python bench/python_bench.py"
}
