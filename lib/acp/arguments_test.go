//go:build cgo

package libacp

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseArguments(t *testing.T) {
	for _, test := range []struct {
		args string
		left string
		want request
	}{
		{"prog", "prog", request{}},
		{"prog a -b --c", "prog a -b --c", request{}},
		{"prog --acp-myrank 0 x", "prog x", request{}},
		{"prog x --acp-nprocs 1", "prog x", request{}},
		{"prog x --acp-nprocs=1 y", "prog x y", request{}},
		{"--acp-odd x", "--acp-odd x", request{}},
		{"prog a --acp-size-smem 77 b --acp-size-smem-cl 1 --acp-size-smem-dl=0 c", "prog a b c", request{starter: 77}},
		{"prog --acp-size-smem 1 --acp-size-smem 2", "prog", request{starter: 2}},
		{"prog --acp-nprocs 4", "prog", request{member: "--acp-nprocs"}},
		{"prog --acp-myrank 1", "prog", request{member: "--acp-myrank"}},
		{"prog --acp-offsetrank 0 --acp-portfile=p", "prog", request{member: "--acp-portfile"}},
		{"prog --acp-offsetrank 3", "prog", request{member: "--acp-offsetrank"}},
		{"prog --acp-taskid 1 --acp-port-local 44256 --acp-port-remote 44256 --acp-host-remote 127.0.0.1 --acp-ethernet-speed 1000", "prog", request{}},
		{"prog --acp-malloc-hook-small 1 --acp-malloc-hook-large 0 --acp-malloc-hook-huge 1 --acp-malloc-hook-low 128 --acp-malloc-hook-high 131072 z", "prog z", request{}},
		{"prog -- --acp-nprocs 1", "prog --", request{}},
		{"prog --acp", "prog --acp", request{}},
		{"prog --acprank 1", "prog --acprank 1", request{}},
	} {
		args := strings.Fields(test.args)
		keep, r, err := parseArguments(args)
		if err != nil {
			t.Errorf("%q: %v", test.args, err)
			continue
		}
		left := []string{}
		for _, i := range keep {
			left = append(left, args[i])
		}
		if !reflect.DeepEqual(left, strings.Fields(test.left)) || r != test.want {
			t.Errorf("%q: %q is left, %+v", test.args, left, r)
		}
	}
}

func TestParseArgumentsWrong(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"prog --acp-", "argument --acp-: unknown"},
		{"prog x --acp-myown 3", "argument --acp-myown: unknown; what begins with --acp- is for the library"},
		{"prog --acp-nprocs", `argument --acp-nprocs: expected a number from 1 to 1048576 after it, found ""`},
		{"prog --acp-nprocs=", `expected a number from 1 to 1048576 after it, found ""`},
		{"prog --acp-nprocs -1", `found "-1"`},
		{"prog --acp-nprocs --acp-myrank 0", `argument --acp-nprocs: expected a number from 1 to 1048576 after it, found "--acp-myrank"`},
		{"prog --acp-nprocs 0", `argument --acp-nprocs: expected a number from 1 to 1048576, found "0"`},
		{"prog --acp-nprocs two", `found "two"`},
		{"prog --acp-nprocs 1x", `found "1x"`},
		{"prog --acp-port-local 65536", `expected a number from 0 to 65535, found "65536"`},
		{"prog --acp-size-smem 0", `expected a number from 1, found "0"`},
		{"prog --acp-size-smem 18446744073709551616", `found "18446744073709551616"`},
		{"prog --acp-host-remote", `argument --acp-host-remote: expected a text after it, found ""`},
		{"prog --acp-host-remote -x", `found "-x"`},
		{"prog --acp-malloc-hook-small 2", `expected a number from 0 to 1, found "2"`},
	} {
		_, _, err := parseArguments(strings.Fields(test.args))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, expected %q", test.args, err, test.want)
		}
	}
}

// The same in a process: the arguments that remain, the size of starter memory, how a wrong call
// ends, and that a process without a launcher can initialize the library again.
func TestArguments(t *testing.T) {
	path := program(t, "arguments")
	for _, test := range []struct {
		name   string
		env    string
		args   []string
		stdout string
		stderr string
		status int
	}{
		{name: "none", stdout: " 10240\n"},
		{name: "kept", args: []string{"a b", "", "-c"}, stdout: "[a b][][-c] 10240\n"},
		{name: "taken", args: []string{"--acp-myrank", "0", "a", "--acp-size-smem", "5000", "b"}, stdout: "[a][b] 5000\n"},
		{name: "size by environment", env: "ACP_STARTER_MEMSIZE=6000", stdout: " 6000\n"},
		{name: "argument wins", env: "ACP_STARTER_MEMSIZE=6000", args: []string{"--acp-size-smem=7000"}, stdout: " 7000\n"},
		{name: "unknown", args: []string{"--acp-x", "1"}, stderr: "acp: init: argument --acp-x: unknown", status: 1},
		{name: "no value", args: []string{"a", "--acp-nprocs"}, stderr: "acp: init: argument --acp-nprocs: expected", status: 1},
		{name: "no launcher", args: []string{"--acp-nprocs", "2"}, stderr: "acp: init: argument --acp-nprocs is for a process of several, but no launcher", status: 3},
		{name: "bad size", env: "ACP_STARTER_MEMSIZE=many", stderr: `acp: init: ACP_STARTER_MEMSIZE: "many"`, status: 3},
		{name: "bad net", env: "ACP_NET=smoke", stderr: "acp: init: ACP_NET: ", status: 3},
		{name: "bad place", env: "ACP_RENDEZVOUS=nowhere", stderr: "acp: init: environment: ACP_RENDEZVOUS", status: 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := alone(t, []string{test.env}, path, test.args...)
			if e.status != test.status || e.stdout != test.stdout || !strings.HasPrefix(e.stderr, test.stderr) ||
				(e.stderr == "") != (test.stderr == "") || strings.Count(e.stderr, "\n") > 1 {
				t.Errorf("%v, expected status %d, output %q, errors %q", e, test.status, test.stdout, test.stderr)
			}
		})
	}
}

// With a launcher each process can join once.
func TestAgainUnderLauncher(t *testing.T) {
	e := together(t, 1, nil, program(t, "arguments"))[0]
	if e.status != 3 || e.stdout != " 10240\n" || !strings.HasPrefix(e.stderr, "acp: init: ") || strings.Count(e.stderr, "\n") != 1 {
		t.Errorf("%v", e)
	}
}
