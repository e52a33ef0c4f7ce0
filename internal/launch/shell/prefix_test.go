package shell

import "testing"

// TestLauncherBehindPrefixes looks for the launcher behind commands that start another one.
func TestLauncherBehindPrefixes(t *testing.T) {
	for _, test := range []struct{ line, before, launcher, question, exec string }{
		{"mpirun -q", "", "mpirun", "mpirun", "exec mpirun -q"},
		{"nice -n 5 mpirun", "nice -n 5 ", "mpirun", "mpirun", "exec nice -n 5 mpirun"},
		{"nice -5 mpirun", "nice -5 ", "mpirun", "mpirun", "exec nice -5 mpirun"},
		{"nice -n5 /opt/bin/mpirun --x", "nice -n5 ", "/opt/bin/mpirun", "/opt/bin/mpirun", "exec nice -n5 /opt/bin/mpirun --x"},
		{"nice --adj 5 mpirun", "nice --adj 5 ", "mpirun", "mpirun", "exec nice --adj 5 mpirun"},
		{"A=1 env -i -u B C=2 mpirun", "A=1 env -i -u B C=2 ", "mpirun", "A=1 env -i -u B C=2 mpirun", "A=1 exec env -i -u B C=2 mpirun"},
		{"env - A='x y' mpirun", "env - A='x y' ", "mpirun", "env - A='x y' mpirun", "exec env - A='x y' mpirun"},
		{"numactl -N 0 --membind=0 mpirun", "numactl -N 0 --membind=0 ", "mpirun", "mpirun", "exec numactl -N 0 --membind=0 mpirun"},
		{"numactl --cpunodebind 0 -l mpirun", "numactl --cpunodebind 0 -l ", "mpirun", "mpirun", "exec numactl --cpunodebind 0 -l mpirun"},
		{"timeout -k 5 --signal=INT 60 mpirun", "timeout -k 5 --signal=INT 60 ", "mpirun", "mpirun", "exec timeout -k 5 --signal=INT 60 mpirun"},
		{"timeout $LIMIT mpirun", "timeout $LIMIT ", "mpirun", "mpirun", "exec timeout $LIMIT mpirun"},
		{"stdbuf -oL -e 0 mpirun", "stdbuf -oL -e 0 ", "mpirun", "mpirun", "exec stdbuf -oL -e 0 mpirun"},
		{"taskset -c 0,1 mpirun", "taskset -c 0,1 ", "mpirun", "mpirun", "exec taskset -c 0,1 mpirun"},
		{"time -p mpirun", "time -p ", "mpirun", "mpirun", "time -p mpirun"},
		{"/usr/bin/time -f %e mpirun", "/usr/bin/time -f %e ", "mpirun", "mpirun", "exec /usr/bin/time -f %e mpirun"},
		{"strace -f -o 'a b' -e trace=open mpirun", "strace -f -o 'a b' -e trace=open ", "mpirun", "mpirun", "exec strace -f -o 'a b' -e trace=open mpirun"},
		{"perf stat -d -e cycles -- mpirun", "perf stat -d -e cycles -- ", "mpirun", "mpirun", "exec perf stat -d -e cycles -- mpirun"},
		{"ionice -c 3 chrt -b 0 nohup setsid -w mpirun", "ionice -c 3 chrt -b 0 nohup setsid -w ", "mpirun", "mpirun", "exec ionice -c 3 chrt -b 0 nohup setsid -w mpirun"},
		{". ./env.sh; nice mpirun", ". ./env.sh; nice ", "mpirun", ". ./env.sh;mpirun", ". ./env.sh; nice mpirun"},
		{"exec nice acprun", "exec nice ", "acprun", "acprun", "exec nice acprun"},
		{"nice", "", "nice", "nice", "exec nice"},
		{"perf report mpirun", "", "perf", "perf", "exec perf report mpirun"},
		{"A=1", "A=1", "", "A=1", "A=1"},
	} {
		before, launcher, after := CutLauncher(test.line)
		if before != test.before || launcher != test.launcher || before+launcher+after != test.line {
			t.Errorf("%s: %q, %q and %q", test.line, before, launcher, after)
		}
		if got := Question(test.line); got != test.question {
			t.Errorf("%s: question %q; expected %q", test.line, got, test.question)
		}
		if got := WithExec(test.line); got != test.exec {
			t.Errorf("%s: %q; expected %q", test.line, got, test.exec)
		}
	}
}
