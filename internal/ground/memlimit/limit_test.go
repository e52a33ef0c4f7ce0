package memlimit

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
)

const mib = 1 << 20

// host makes a file system of files by their names.
func host(files ...map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, some := range files {
		for name, text := range some {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return fsys
}

// unifiedAt is a process in a group of version 2.
func unifiedAt(group, root, dir string) map[string]string {
	return map[string]string{
		"proc/self/cgroup":    "0::" + group + "\n",
		"proc/self/mountinfo": "22 1 0:20 / /proc rw - proc proc rw\n31 22 0:26 " + root + " " + dir + " rw shared:4 - cgroup2 cgroup2 rw\n",
	}
}

// legacyAt is a process in a group of version 1, beside an unlimited one of version 2.
func legacyAt(group string) map[string]string {
	return map[string]string{
		"proc/self/cgroup": "3:cpu,cpuacct:/other\n2:memory:" + group + "\n0::/\n",
		"proc/self/mountinfo": "30 22 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n" +
			"31 22 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
			"32 22 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
		"sys/fs/cgroup/unified/cgroup.procs": "",
	}
}

// files are files of a group, by pairs of name and text.
func files(dir string, pairs ...any) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[dir+"/"+pairs[i].(string)] = fmt.Sprintln(pairs[i+1])
	}
	return m
}

func TestLeft(t *testing.T) {
	const cg, mem = "sys/fs/cgroup", "sys/fs/cgroup/memory"
	at := func(limit, more uint64) uint64 { return more - reserve(limit) }
	for _, test := range []struct {
		name    string
		fsys    fstest.MapFS
		left    uint64
		limited bool
	}{
		{"no groups", host(), 0, false},
		{"not mounted", host(map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": ""}), 0, false},
		{"damaged", host(map[string]string{"proc/self/cgroup": "x\n:\n0::\n", "proc/self/mountinfo": "1 2 - \n - cgroup2\n"}), 0, false},
		{"no limit", host(unifiedAt("/job", "/", "/"+cg), files(cg+"/job", "memory.max", "max", "memory.current", 5)), 0, false},
		{"only high", host(unifiedAt("/job", "/", "/"+cg), files(cg+"/job", "memory.high", mib, "memory.max", "max")), 0, false},
		{"own", host(unifiedAt("/job", "/", "/"+cg), files(cg+"/job", "memory.max", 100*mib, "memory.current", 30*mib)), at(100*mib, 70*mib), true},
		{"used up", host(unifiedAt("/job", "/", "/"+cg), files(cg+"/job", "memory.max", 100*mib, "memory.current", 101*mib)), 0, true},
		{"ancestor", host(unifiedAt("/a/b/c", "/", "/"+cg),
			files(cg+"/a", "memory.max", 100*mib, "memory.current", 90*mib),
			files(cg+"/a/b", "memory.max", "max"),
			files(cg+"/a/b/c", "memory.max", 50*mib, "memory.current", 1*mib)), at(100*mib, 10*mib), true},
		{"namespace", host(unifiedAt("/", "/", "/"+cg), files(cg, "memory.max", 100*mib, "memory.current", 0)), at(100*mib, 100*mib), true},
		{"part is mounted elsewhere", host(unifiedAt("/docker/1/job", "/docker/1", `/my\040groups`),
			files("my groups", "memory.max", 80*mib, "memory.current", 0),
			files("my groups/job", "memory.max", "max")), at(80*mib, 80*mib), true},
		{"another part is mounted", host(unifiedAt("/docker/12", "/docker/1", "/"+cg), files(cg, "memory.max", 80*mib)), 0, false},
		{"outside of the namespace", host(unifiedAt("/../other", "/", "/"+cg), files(cg, "memory.max", 80*mib)), 0, false},
		{"cached files", host(unifiedAt("/job", "/", "/"+cg), files(cg+"/job", "memory.max", 100*mib, "memory.current", 100*mib,
			"memory.stat", fmt.Sprintf("anon 5\nactive_file %d\ninactive_file %d\ninactive_anon 7\nslab_reclaimable %d", 10*mib, 20*mib, 3*mib))), at(100*mib, 33*mib), true},
		{"swap", host(unifiedAt("/job", "/", "/"+cg), map[string]string{"proc/meminfo": "MemFree: 1 kB\nSwapFree:   65536 kB\n"},
			files(cg+"/job", "memory.max", 100*mib, "memory.current", 100*mib, "memory.swap.max", 40*mib, "memory.swap.current", 8*mib)), at(100*mib, 32*mib), true},
		{"more swap than there is", host(unifiedAt("/job", "/", "/"+cg), map[string]string{"proc/meminfo": "SwapFree: 16384 kB\n"},
			files(cg+"/job", "memory.max", 100*mib, "memory.current", 100*mib, "memory.swap.max", "max")), at(100*mib, 16*mib), true},
		{"version 1", host(legacyAt("/job"), files(mem, "memory.limit_in_bytes", uint64(9223372036854771712), "memory.use_hierarchy", 1),
			files(mem+"/job", "memory.limit_in_bytes", 100*mib, "memory.usage_in_bytes", 60*mib,
				"memory.stat", fmt.Sprintf("active_file 1\ntotal_active_file %d", 5*mib))), at(100*mib, 45*mib), true},
		{"version 1 without a limit", host(legacyAt("/job"), files(mem+"/job", "memory.limit_in_bytes", uint64(9223372036854771712))), 0, false},
		{"version 1, ancestor", host(legacyAt("/a/b"), files(mem+"/a", "memory.limit_in_bytes", 100*mib, "memory.usage_in_bytes", 60*mib, "memory.use_hierarchy", 1),
			files(mem+"/a/b", "memory.limit_in_bytes", 90*mib, "memory.usage_in_bytes", 0)), at(100*mib, 40*mib), true},
		{"version 1, no hierarchy", host(legacyAt("/a/b"), files(mem+"/a", "memory.limit_in_bytes", 100*mib, "memory.usage_in_bytes", 60*mib, "memory.use_hierarchy", 0),
			files(mem+"/a/b", "memory.limit_in_bytes", 90*mib, "memory.usage_in_bytes", 0)), at(90*mib, 90*mib), true},
		{"version 1, memory and swap", host(legacyAt("/job"), map[string]string{"proc/meminfo": "SwapFree: 1048576 kB\n"},
			files(mem+"/job", "memory.limit_in_bytes", 100*mib, "memory.usage_in_bytes", 60*mib,
				"memory.memsw.limit_in_bytes", 150*mib, "memory.memsw.usage_in_bytes", 80*mib)), at(100*mib, 70*mib), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := New(test.fsys, false, "self")
			if (l != nil) != test.limited {
				t.Fatalf("limit %v, want one: %v", l, test.limited)
			}
			if l == nil {
				return
			}
			if left, limited := l.Left(); left != test.left || !limited {
				t.Errorf("%d bytes are left, limited %v, want %d", left, limited, test.left)
			}
		})
	}
}

// TestHost: the memory of the host is a limit if it is asked for, and the lesser limit counts.
func TestHost(t *testing.T) {
	meminfo := func(available int) map[string]string {
		return map[string]string{"proc/meminfo": fmt.Sprintf("MemTotal: 131072 kB\nMemFree: 7 kB\nMemAvailable:  %d kB\nSwapFree: 1024 kB\n", available)}
	}
	group := func(limit any) map[string]string {
		return files("cg/a", "memory.max", limit, "memory.current", 0, "memory.swap.max", 0)
	}
	kept := reserve(128 * mib)
	for _, test := range []struct {
		name string
		fsys fstest.MapFS
		left uint64
	}{
		{"alone", host(meminfo(65536)), 65*mib - kept},
		{"used up", host(meminfo(5)), 0},
		{"beside a group without a limit", host(meminfo(65536), unifiedAt("/a", "/", "/cg"), group("max")), 65*mib - kept},
		{"less than the limit of a group", host(meminfo(65536), unifiedAt("/a", "/", "/cg"), group(100*mib)), 65*mib - kept},
		{"more than the limit of a group", host(meminfo(65536), unifiedAt("/a", "/", "/cg"), group(50*mib)), 50*mib - reserve(50*mib)},
	} {
		if left, limited := New(test.fsys, true, "self").Left(); left != test.left || !limited {
			t.Errorf("%s: %d bytes are left, limited %v, want %d", test.name, left, limited, test.left)
		}
		if n := Host(test.fsys); n != 128*mib {
			t.Errorf("%s: the host has %d bytes", test.name, n)
		}
	}
	unknown := host()
	if left, limited := New(unknown, true, "self").Left(); Host(unknown) != 0 || limited {
		t.Errorf("an unknown host has %d bytes, of which %d are left", Host(unknown), left)
	}
}

// TestTwoProcesses: the limit of two processes is the lesser, and a limit that goes away
// limits nothing.
func TestTwoProcesses(t *testing.T) {
	fsys := host(unifiedAt("/a", "/", "/cg"), map[string]string{"proc/17/cgroup": "0::/b\n"},
		files("cg/a", "memory.max", 100*mib, "memory.current", 0), files("cg/b", "memory.max", 50*mib, "memory.current", 0))
	l := New(fsys, false, "self", "17")
	if left, _ := l.Left(); left != 50*mib-reserve(50*mib) {
		t.Errorf("%d bytes are left", left)
	}
	maps.Copy(fsys, host(files("cg/a", "memory.max", "max"), files("cg/b", "memory.max", "max")))
	if left, limited := l.Left(); limited {
		t.Errorf("%d bytes are left where nothing limits", left)
	}
}

func TestFind(t *testing.T) {
	fsys := host(unifiedAt("/a/b", "/", "/cg"), files("cg/a/b", "cgroup.procs", ""))
	want := []Group{{"cg/a/b", true}, {"cg/a", true}, {"cg", true}}
	if got := Find(fsys, "self"); !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}
