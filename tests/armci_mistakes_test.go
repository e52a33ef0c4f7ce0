package tests

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// ends is used for functions that cannot return an error: they end the run.
const ends = 1

// armciMistakes are wrong calls of programs: the number that the function returns, and a part of the line
// about it.
var armciMistakes = []struct {
	mistake string
	code    int
	line    string
}{
	{"proc", -5, "ARMCI_Put(src="},
	{"null", -1, "ARMCI_Get(src=0x0"},
	{"nolocal", -1, "ARMCI_Put(src=0x0"},
	{"outside", -1, "are no shared memory of process"},
	{"bytes", -3, "bytes=-1"},
	{"count", -3, "ARMCI_PutS(src_ptr="},
	{"levels", -4, "stride_levels=9"},
	{"fewer", -4, "stride_levels=-1"},
	{"strides", -2, "ARMCI_PutS(src_ptr="},
	{"counts", -2, "count=0x0"},
	{"scale", -1, "ARMCI_Acc(datatype=3, scale=0x0"},
	{"type", -4, "element type 77"},
	{"element", -3, "12, no multiple of the 8 of an element"},
	{"halves", -3, "8, no multiple of the 16 of an element"},
	{"descriptors", -2, "ARMCI_PutV(dsrc_arr=0x0"},
	{"lessdescriptors", -4, "-1 descriptors"},
	{"segments", -4, "-1 segments"},
	{"segment", -3, "segments of -8"},
	{"pointers", -2, "ARMCI_PutV("},
	{"pointer", -1, "ARMCI_PutV("},
	{"nb", -3, "ARMCI_NbPut(src="},
	{"flag", -1, "ARMCI_Put_flag(src="},
	{"flagdir", -1, "ARMCI_PutS_flag_dir(src_ptr="},
	{"flagoutside", -1, "ARMCI_PutS_flag(src_ptr="},
	{"value", ends, "ARMCI_GetValueInt(src=0x0"},
	{"op", -4, "ARMCI_Rmw(op=9"},
	{"misaligned", -1, "no multiple of 4"},
	{"ploc", -1, "ploc=0x0"},
	{"wait", -1, "ARMCI_Wait(handle=0x0)"},
	{"test", -1, "ARMCI_Test(handle=0x0)"},
	{"await", -5, "ARMCI_WaitProc(proc=-1)"},
	{"fence", ends, "ARMCI_Fence(proc=-1)"},
	{"notify", -5, "armci_notify(proc=2)"},
	{"notified", -5, "armci_notify_wait(proc=-1"},
	{"array", -2, "ARMCI_Malloc(ptr_arr=0x0"},
	{"malloc", -3, "ARMCI_Malloc(ptr_arr="},
	{"free", -1, "ARMCI_Free(ptr="},
	{"local", 0, "ARMCI_Malloc_local(bytes=-1)"},
	{"memget", ends, "ARMCI_Memget(bytes=8"},
	{"memgetzero", ends, "ARMCI_Memget(bytes=0"},
	{"memctl", ends, "ARMCI_Memctl(meminfo=0x0)"},
	{"copy", ends, "ARMCI_Copy(src="},
	{"pack", ends, "armci_write_strided(ptr="},
	{"unpack", ends, "armci_read_strided(ptr="},
	{"copynowhere", ends, "ARMCI_Copy(src=0x0"},
	{"packarray", ends, "stride_arr=0x0"},
	{"packnowhere", ends, "armci_write_strided(ptr="},
	{"unpackarray", ends, "count=0x0"},
	{"unpacknowhere", ends, "armci_read_strided(ptr=0x0"},
	{"iterator", ends, "armci_stride_info_init(s="},
	{"mutexes", -8, "there are no mutexes"},
	{"mutexcount", -3, "ARMCI_Create_mutexes(count=-1)"},
	{"again", -8, "there are mutexes"},
	{"unlock", ends, "the caller does not hold mutex 0"},
	{"lock", ends, "the caller holds mutex 0"},
	{"mutex", ends, "mutex 1 of the 1 of process"},
	{"set", -8, "no such set of mutexes"},
	{"group", -5, "ARMCIX_Group_dup(parent="},
	{"freed", -5, "ARMCI_Malloc_group(ptr_arr="},
	{"repeat", ends, "process 0 is twice in a group"},
	{"members", ends, "ARMCI_Group_create(n=-1"},
	{"memberless", ends, "ARMCI_Group_create(n=1, pid_list=0x0"},
	{"mode", -4, "mode 64"},
	{"modeof", -1, "ARMCIX_Mode_set(mode=1"},
	{"operator", ends, "armci_msg_dgop(x="},
	{"bits", ends, "armci_msg_dgop(x="},
	{"elements", ends, "armci_msg_dgop(x="},
	{"scope", ends, "there is no scope 7"},
	{"number", ends, "armci_msg_reduce(x="},
	{"selection", ends, "armci_msg_sel(x="},
	{"selected", ends, "4 bytes for a number of 8"},
	{"addresses", ends, "3 addresses for 2 processes"},
	{"root", ends, "process 2 takes no part"},
	{"length", ends, "armci_msg_brdcst(buffer="},
	{"longer", ends, "8 bytes for a buffer of 7"},
	{"sender", ends, "armci_msg_rcv(tag="},
	{"anylonger", -3, "8 bytes for a buffer of 7"},
	{"to", ends, "armci_msg_snd(tag="},
	{"early", -8, "not initialised"},
}

// TestARMCIMistakes: a wrong call ends the run with a line that names the function, its arguments and the
// reason.
func TestARMCIMistakes(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/mistakes", "-larmci")
	for _, c := range armciMistakes {
		t.Run(c.mistake, func(t *testing.T) {
			t.Parallel() // most of the time goes by while launchers wait
			sandbox := suite.Sandbox(t)
			if c.code == ends {
				sandbox.Env = append(sandbox.Env, "ARMCI_ERRORS=return")
			}
			// Both processes make the wrong call, so that neither waits for the other.
			r := sandbox.Run("", "acprun", "-np", "2", "-net", "tcp", program, c.mistake)
			if r.Status == 0 || !strings.Contains(r.Stderr, "armci: ") || !strings.Contains(r.Stderr, c.line) {
				t.Errorf("expected a line with %q:\n%v", c.line, r)
			}
		})
	}
	t.Run("error", func(t *testing.T) {
		r := suite.Sandbox(t).Run("", "acprun", "-np", "1", program, "error")
		const line = "armci: error of process 0: enough (code 7)"
		if r.Status != 7 || !strings.Contains(r.Stdout, line) || !strings.Contains(r.Stderr, line) {
			t.Errorf("expected status 7 and %q twice:\n%v", line, r)
		}
	})
}

// TestARMCIErrorOfMPI: under the launcher of an MPI, too, the code of ARMCI_Error is the exit status, and
// its line is on each stream once.
func TestARMCIErrorOfMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CAtMPI(t, "tests/programs/armci/mistakes", mpi, "-larmci")
			sandbox := suite.Sandbox(t)
			r := sandbox.Run("", "/bin/sh", "-c", sandbox.Mpirun(mpi)+" -n 1 "+program+" error")
			const line = "armci: error of process 0: enough (code 7)"
			if r.Status != 7 || strings.Count(r.Stdout, line) != 1 || strings.Count(r.Stderr, line) != 1 || strings.Contains(r.Stderr, "acp: ") {
				t.Errorf("expected status 7 and %q once on each stream:\n%v", line, r)
			}
		})
	}
}

// TestARMCIReturnsErrors: with ARMCI_ERRORS=return a wrong call returns its error number, and the program
// continues.
func TestARMCIReturnsErrors(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/mistakes", "-larmci")
	for _, net := range []string{"shm", "tcp"} {
		sandbox := suite.Sandbox(t)
		sandbox.Env = append(sandbox.Env, "ARMCI_ERRORS=return")
		run := []string{"acprun", "-np", "2", "-net", net, program}
		want := make(map[string]int)
		for _, c := range armciMistakes {
			if c.code != ends && c.mistake != "early" {
				run = append(run, c.mistake)
				want[fmt.Sprintf("%s %d", c.mistake, c.code)] = 2
			}
		}
		if got := countLines(sandbox.Must(run...)); !maps.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", net, got, want)
		}
		if out := sandbox.Must(program, "early"); out != "early -8\n" {
			t.Errorf("before ARMCI_Init: %s", out)
		}
	}
}

// countLines returns how often each line is in a text.
func countLines(text string) map[string]int {
	lines := make(map[string]int)
	for line := range strings.Lines(text) {
		lines[strings.TrimSpace(line)]++
	}
	return lines
}
