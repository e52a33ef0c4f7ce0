# How bench/run.sh measures DMI. bench/measure.sh and bench/elastic.sh come before it.

build_dmi() {
	for p in dmi_bench dmi_work_bench dmi_join_bench; do dmicc -O2 -o "$out/$p" "bench/$p.c"; done
	for m in $(config MPIS); do "$(config "${m}_MPICC")" -O2 -o "$out/work_$m" bench/mpi_work_bench.c; done
}

# global_memory measures DMI between two processes of one host, and by sockets.
global_memory() {
	local_socket
	for kind in near far; do
		net=shm
		[ $kind = near ] || net=tcp
		keep env DMI_BENCH=$kind dmimw -n 2 -net $net "$out/dmi_bench"
	done
}

# working measures whole programs with DMI beside the same programs with MPI.
working() {
	keep dmimw -n 2 -net shm "$out/dmi_work_bench" dmi
	for m in $(config MPIS); do
		for np in 2 4; do ranks $m $np "$out/work_$m" "$m" dmi; done
	done
}

# far_working is working between the hosts of two_hosts, with Open MPI by TCP.
far_working() {
	on_near "$(command -v dmimw) -f $out/nodes -n 2 -rsh $PWD/$out/agent -net tcp $PWD/$out/dmi_work_bench dmifar"
	case " $(config MPIS) " in *" openmpi "*) ;; *) return 0 ;; esac
	for np in 2 4; do
		on_near "env OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=$near/24 \
			OMPI_MCA_plm_rsh_agent=$PWD/$out/agent OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
			$(config openmpi_MPIRUN) --oversubscribe --host $near:$((np / 2)),$far:$((np / 2)) -np $np $PWD/$out/work_openmpi openmpi dmifar"
		empty_hosts
	done
}

# joining measures processes that join and leave.
joining() {
	reside dmimw -n 1 "$out/dmi_join_bench" 5 || return 0
	for n in 1 2 3 4 5; do
		timeout -k 5 $limit dmimw -to $resident -n 1 >"$out/printed" 2>"$out/errors" || echo "bench: dmimw -to: status $?" >&2
	done
	finish
}
