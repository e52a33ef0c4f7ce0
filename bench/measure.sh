# What bench/run.sh and bench/armci.sh have in common: how they run programs and keep samples. They
# set -eu, go to the folder above, and set reps, out and samples.

limit=60 # seconds that one measurement may take
hosts="acpbench$$a acpbench$$b"
near=10.214.7.1 far=10.214.7.2
resident= server= # processes in the background

# What config.mk says about NAME.
config() { sed -n "s/^$1 = //p" config.mk; }

clean_up() {
	status=$?
	trap - EXIT
	trap '' INT TERM # which come twice: to the shell and to its group
	for process in $resident $server; do kill "$process" 2>/dev/null || :; done
	for h in $hosts; do ip netns delete "$h" 2>/dev/null || :; done
	rm -f "$out/agent" "$out/nodes" "$out/jobs" "$out/times" "$out/printed" "$out"/hello[123] \
		"$out/resident" "$out/resident.errors" "$out/address"
	exit $status
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# keep COMMAND... appends the samples of COMMAND. If it fails, what it printed before
# counts all the same: not every MPI can do everything, which is said once. Launchers print other
# lines, too.
keep() {
	status=0
	timeout -k 5 $limit "$@" >"$out/printed" 2>"$out/errors" || status=$?
	awk -F '\t' 'NF == 3' "$out/printed" >>"$samples"
	if [ $status != 0 ] && [ "$rep" -le 1 ]; then
		echo "bench: status $status of $*" >&2
		sed 's/^/    /' "$out/errors" | head -n 5 >&2
	fi
}

# pinned puts the ranks of the command behind it on processors in turn, as mpirun does
# with those of MPI.
cores=$(nproc)
pinned() { echo "taskset -c \$((\${ACP_JOB_RANK:-0} % $cores))"; }

on_openmpi() { # PROGRAM ARGUMENTS [NAME=VALUE...]
	program=$1 source=$2
	shift 2
	keep env "$@" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		"$(config openmpi_MPIRUN)" --oversubscribe --bind-to core -np 2 "$out/$program" $source
}

# ranks MPI NP PROGRAM... runs so many ranks of a program with an MPI, also more than there are processors.
ranks() {
	mpi=$1 np=$2
	shift 2
	keep env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
		"$(config "${mpi}_MPIRUN")" -np "$np" "$@"
}

# two_hosts makes the hosts, joined by a cable, and a remote shell to them. Nothing is
# bound to a processor there: the kernel finds places that are better for sockets.
two_hosts() {
	[ "$(id -u)" = 0 ] && ip netns add "${hosts% *}" && ip netns add "${hosts#* }" || return 1
	ip link add "acp$$a" netns "${hosts% *}" type veth peer name "acp$$b" netns "${hosts#* }"
	ip -n "${hosts% *}" addr add $near/24 dev "acp$$a"
	ip -n "${hosts#* }" addr add $far/24 dev "acp$$b"
	for h in a b; do
		ip -n "acpbench$$$h" link set lo up
		ip -n "acpbench$$$h" link set "acp$$$h" up
	done
	for h in a b; do # UCX does not use a link that comes up later
		tries=0
		until ip -n "acpbench$$$h" link show "acp$$$h" | grep -q 'state UP' || [ $((tries += 1)) -gt 100 ]; do sleep 0.05; done
	done
	cat >"$out/agent" <<-END
		#!/bin/sh
		case \$1 in $near) host=${hosts% *} ;; *) host=${hosts#* } ;; esac
		shift
		exec ip netns exec \$host sh -c "\$*"
	END
	chmod +x "$out/agent"
	printf '%s\n' $near $far >"$out/nodes"
}

on_near() { keep "$out/agent" $near "$@"; }

# empty_hosts ends what a launcher that ran out of time has left on the hosts. It would disturb the next
# measurement.
empty_hosts() {
	for h in $hosts; do
		while pids=$(ip netns pids "$h") && [ -n "$pids" ]; do
			kill -KILL $pids 2>/dev/null || :
			sleep 0.1
		done
	done
}

sockets() {
	rm -f "$out/address"
	"$out/agent" $far "timeout -k 5 $limit $out/socket serve $far" >"$out/address" &
	server=$!
	tries=0
	until [ -s "$out/address" ] || [ $((tries += 1)) -gt 100 ]; do sleep 0.05; done
	on_near "$out/socket measure $(cat "$out/address")"
	wait $server || :
	server=
}

# machine prints where and with what it was measured.
machine() {
	echo "$(date -u +%F), $cores processors$(sed -n 's/^model name[^:]*:/,/p' /proc/cpuinfo | head -n 1)," \
		"Linux $(uname -r), $("$(config GO)" env GOVERSION), $(cc --version | head -n 1)"
	echo
}
