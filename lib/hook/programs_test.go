package hook

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// scripts are programs that many systems have, as lines for a shell. The tests take those that are there.
var scripts = map[string]string{
	"sort": `seq 200000 | sort -R --random-source=/bin/sh --parallel=4 -S 10m | sort -n | cksum`,
	"cc":   `printf '#include <stdio.h>\nint main(void){puts("compiled");}' | cc -O2 -x c -o "$TMP/a" - && "$TMP/a"`,
	"git": `cd "$TMP" && git init -q . && seq 50000 > f && git add f &&
		git -c user.name=n -c user.email=e@x commit -q -m m && git gc -q && git fsck && git log --format=%s --stat`,
	"awk":     `seq 200000 | awk '{ a[$1 % 5000] = a[$1 % 5000] $1 } END { for (i = 0; i < 5000; i++) s += length(a[i]); print s }'`,
	"xargs":   `seq 200 | xargs -n 10 -P 4 echo | sort | cksum`,
	"sqlite3": `sqlite3 :memory: "create table t(x unique, y); with recursive c(x) as (select 1 union all select x+1 from c where x<100000) insert into t select x, hex(x) from c; select sum(x), count(distinct y), max(y) from t"`,
	"python3": `python3 -c "
import threading, subprocess, os
d = {}
def work(n):
    for i in range(20000): d[n, i] = str(i) * (i % 50)
t = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[x.start() for x in t]
for i in range(5):
    pid = os.fork()
    if pid == 0: os._exit(0 if sum(range(1000)) == 499500 else 1)
    assert os.waitpid(pid, 0)[1] == 0
[x.join() for x in t]
print(sum(map(len, d.values())), subprocess.check_output(['echo', 'child']))"`,
}

// TestPrograms: programs give the same results if all their blocks come from the pool.
func TestPrograms(t *testing.T) {
	t.Parallel()
	preload := append([]string{"LD_PRELOAD=" + filepath.Join(library, "libacphook.so")}, everything...)
	ran := 0
	for name, script := range scripts {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("%s is not here", name)
			continue
		}
		env := []string{"LC_ALL=C", "HOME=" + t.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}
		want := run(t, append(env, "TMP="+t.TempDir()), shell, "-c", script)
		got := run(t, append(append(env, "TMP="+t.TempDir()), preload...), shell, "-c", script)
		if got != want || want == "" {
			t.Errorf("%s prints %q, expected %q", name, got, want)
		}
		ran++
	}
	if ran < 3 {
		t.Errorf("only %d programs ran", ran)
	}
}

// TestPreloadWithoutRules: the library in front of libc changes nothing if no rule asks for the pool.
func TestPreloadWithoutRules(t *testing.T) {
	t.Parallel()
	program := build(t, "", "rules")
	out := run(t, []string{"LD_PRELOAD=" + filepath.Join(library, "libacphook.so")}, program, sizes...)
	if out != fromLib {
		t.Errorf("%s, expected %s", out, fromLib)
	}
}
