#!/bin/sh
# Draws a flame graph of both ranks while 4096 puts of 8 bytes are in flight between two hosts, which are network
# namespaces of this machine. Needs root and perf. It records for 2 seconds.
#
#     bench/profile.sh [FILE]
#
# FILE is build/bench/puts.svg by default.
set -eu
cd "$(dirname "$0")/.."
out=build/bench reps=1 rep=1
svg=${1:-$out/puts.svg}
samples=$out/profile.tsv
. bench/measure.sh

mkdir -p "$out"
acpcc -O2 -g -fno-omit-frame-pointer -o "$out/acp_bench" bench/acp_bench.c
"$(config GO)" build -o "$out/flame" ./bench/flame
: >"$samples"
rm -f "$out/printed"
two_hosts
on_near "$(command -v acprun) -np 2 -nodefile $out/nodes -rsh $PWD/$out/agent -net tcp -startermemsize 4m $PWD/$out/acp_bench puts" &
resident=$!
tries=0
until [ -s "$out/printed" ] || [ $((tries += 1)) -gt 100 ]; do sleep 0.05; done
ranks=$(for h in $hosts; do ip netns pids "$h"; done | while read -r p; do
	case $(tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null) in "$PWD/$out/acp_bench puts "*) echo "$p" ;; esac
done)
perf record -q -F 2000 -g -e cpu-clock -o "$out/perf.data" -p "$(echo $ranks | tr ' ' ,)" sleep 2
wait $resident || :
resident=
perf script -i "$out/perf.data" -F comm,pid,ip,sym 2>/dev/null |
	awk -v first="${ranks%%[!0-9]*}" '
		!NF { head = 0 }
		NF && !head++ { $0 = $2 == first ? "rank 0, which puts" : "rank 1, the owner" }
		{ print }' |
	"$out/flame" -title "4096 puts of 8 bytes in flight between two hosts" >"$svg"
rm -f "$out/perf.data"
