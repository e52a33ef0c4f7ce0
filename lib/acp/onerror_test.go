//go:build cgo

package libacp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mistake is a mistake that testdata/onerror.c makes, and the parts of the line about it: the C
// function with its arguments, where %p stands for an address, and the reason.
type mistake struct{ which, call, reason string }

// line returns an expression for the line about m.
func (m mistake) line() *regexp.Regexp {
	text := regexp.QuoteMeta("acp: " + m.call + " by rank 0: " + m.reason + "\n")
	return regexp.MustCompile("^" + strings.ReplaceAll(text, "%p", "0x[0-9a-f]+") + "$")
}

// mistakes are those that a function detects before it returns.
var mistakes = []mistake{
	{"copy-rank", "acp_copy(dst=0x1000, src=0x100000001000, size=8, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"copy-null", "acp_copy(dst=0x0, src=0x1000, size=8, order=ACP_HANDLE_ALL)", "bad global address: destination 0x0: null"},
	{"copy-order", "acp_copy(dst=0x1000, src=0x100000001000, size=4294967296, order=77)", "bad global address: destination 0x1000: rank 0 has 10240 bytes of starter memory; offset 0 + 4294967296 bytes is beyond its end"},
	{"add4", "acp_add4(dst=0x1000, src=0x1002, value=1, order=ACP_HANDLE_NULL)", "misaligned address: source 0x1002 is no multiple of 4"},
	{"add8", "acp_add8(dst=0x1004, src=0x1000, value=1, order=ACP_HANDLE_NULL)", "misaligned address: destination 0x1004 is no multiple of 8"},
	{"cas4", "acp_cas4(dst=0x1000, src=0x100000001000, oldval=1, newval=2, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"cas8", "acp_cas8(dst=0x1000, src=0x100000001000, oldval=1, newval=2, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"and4", "acp_and4(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"and8", "acp_and8(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"or4", "acp_or4(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"or8", "acp_or8(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"xor4", "acp_xor4(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"xor8", "acp_xor8(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"swap4", "acp_swap4(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"swap8", "acp_swap8(dst=0x1000, src=0x100000001000, value=1, order=ACP_HANDLE_NULL)", "bad global address: source 0x100000001000: there is no rank 1, the run has 1"},
	{"malloc", "acp_malloc(size=100, rank=1)", "on rank 1: no such rank"},
	{"free", "acp_free(ga=0x1000)", "not an allocated block: position 0x1000 is outside the heap"},
	{"register", "acp_register_memory(addr=0x40, size=8, color=9)", "no such color"},
	{"unregister", "acp_unregister_memory(atkey=0x7)", "unknown key"},
	{"query-ga", "acp_query_ga(atkey=0x7, addr=0x40)", "unknown key"},
	{"query-rank", "acp_query_rank(ga=0x100000001000)", "bad global address: there is no rank 1, the run has 1"},
	{"query-color", "acp_query_color(ga=0x0)", "bad global address: null"},
	{"query-address", "acp_query_address(ga=0x100000001000)", "bad global address: there is no rank 1, the run has 1"},
	{"starter", "acp_query_starter_ga(rank=1)", "no such rank"},
	{"reset", "acp_reset(rank=1)", "the new ranks are no permutation of the old: rank 0 asks for rank 1, and there are ranks 0 to 0"},
	{"create-vector", "acp_create_vector(size=100, rank=1)", "on rank 1: no such rank"},
	{"push-vector", "acp_push_back_vector(vector=0x1000, ga=0x1000, size=8)", "bad global address: no address in the heap of rank 0: 0x1000"},
	{"erase-vector", "acp_erase_vector(it={0x1000, -3}, size=8)", "bad iterator"},
	{"create-deque", "acp_create_deque(size=100, rank=1)", "on rank 1: no such rank"},
	{"swap-deque", "acp_swap_deque(deque1=0x1000, deque2=0x1000)", "bad global address: no address in the heap of rank 0: 0x1000"},
	{"dereference-deque", "acp_dereference_deque_it(it={0x1000, 2}, size=8)", "bad global address: no address in the heap of rank 0: 0x1000"},
	{"dereference-deque-ga", "acp_dereference_deque_it(it={0x1000, 2})", "bad global address: no address in the heap of rank 0: 0x1000"},
	{"create-list", "acp_create_list(rank=1)", "on rank 1: no such rank"},
	{"push-list", "acp_push_back_list(list=0x1000, elem={0x1000, 8}, rank=0)", "bad global address: no address in the heap of rank 0: 0x1000"},
	{"splice-list", "acp_splice_list(it1={0x1000, 0x0}, it2={0x0, 0x1000})", "bad iterator"},
	{"create-set", "acp_create_set(num_ranks=-1, ranks=0x0, num_slots=2, rank=0)", "bad size: 0 tables of 2 slots"},
	{"insert-set", "acp_insert_set(set={0x1000, 1, 1}, key={0x1000, 8})", "destroyed: no such structure"},
	{"size-local-set", "acp_size_local_set(set={0x1000, 1, 1})", "destroyed: no such structure"},
	{"merge-multiset", "acp_merge_multiset(set1={0x1000, 1, 1}, set2={0x1000, 1, 1})", "destroyed: no such structure"},
	{"remove-all-multiset", "acp_remove_all_multiset(set={0x1000, 1, 1}, key={0x1000, 8})", "destroyed: no such structure"},
	{"find-map", "acp_find_map(map={0x1000, 1, 1}, key={0x1000, 8})", "destroyed: no such structure"},
	{"insert-map", "acp_insert_map(map={0x1000, 1, 1}, pair={{0x1000, 8}, {0x1000, 8}})", "destroyed: no such structure"},
	{"increment-map", "acp_increment_map_it(it={{0x1000, 1, 1}, 0, 0, 0x1000})", "destroyed: no such structure"},
	{"insert-many-map", "acp_insert_many_map(map={%p, 1, 100}, pairs=%p, count=3, results=0x0)", "1 of 3, the first of which is number 2: bad global address"},
	{"create-ch", "acp_create_ch(sender=0, receiver=0)", "no such rank: a channel from a rank to itself"},
	{"send-ch", "acp_nbsend_ch(ch=0x0, buf=0x0, size=8)", "channel freed"},
	{"receive-ch", "acp_nbrecv_ch(ch=0x0, buf=0x0, size=8)", "channel freed"},
	{"free-ch", "acp_free_ch(ch=0x0)", "channel freed"},
	{"nbfree-ch", "acp_nbfree_ch(ch=0x0)", "channel freed"},
	{"wait-ch", "acp_wait_ch(request=0x5)", "no such request: 0x5"},
	{"waitall-ch", "acp_waitall_ch(requests=0x0, count=3, sizes=0x0)", "bad global address: 3 requests at NULL"},
	{"waitall-negative", "acp_waitall_ch(requests=0x0, count=-3, sizes=0x0)", "bad size: -3 requests"},
	{"waitall-unknown", "acp_waitall_ch(requests=%p, count=1, sizes=0x0)", "no such request: 0x5"},
	{"create-segbuf", "acp_create_src_segbuf(dst_rank=0, buf=0x0, segsize=8, segnum=2)", "bad size: 2 segments of 8 bytes at 0x0"},
	{"free-segbuf", "acp_free_segbuf(segbuf=0x0)", "destroyed"},
	{"head-segbuf", "acp_query_segbuf_head(segbuf=0x0)", "destroyed"},
	{"setparams", "acp_setparams_ws(proc_start=1, size_default=4096)", "no such rank"},
	{"destroy-ws", "acp_destroy_ws(wsd=0xffffffffffffffff)", "destroyed"},
	{"write-ws", "acp_write_ws(wsd=%p, ga=0x1000, size=8, offset=99)", "at offset 99 of 100 bytes: out of range"},
}

// latecomers are those that the library may detect after the function has returned. They always
// end the run.
var latecomers = []mistake{
	{"copy-later", "acp_copy(dst=0x37fc, src=0x1000, size=8, order=ACP_HANDLE_CONT)", "bad global address: destination 0x37fc: rank 0 has 10240 bytes of starter memory; offset 10236 + 8 bytes is beyond its end"},
	{"cas4-later", "acp_cas4(dst=0x1000, src=0x3800, oldval=1, newval=2, order=ACP_HANDLE_ALL)", "bad global address: source 0x3800: rank 0 has 10240 bytes of starter memory; offset 10240 + 4 bytes is beyond its end"},
	{"or8-later", "acp_or8(dst=0x1000, src=0x3800, value=3, order=ACP_HANDLE_ALL)", "bad global address: source 0x3800: rank 0 has 10240 bytes of starter memory; offset 10240 + 8 bytes is beyond its end"},
}

// TestOnError makes mistakes with every value of ACP_ON_ERROR.
func TestOnError(t *testing.T) {
	path := program(t, "onerror")
	for _, m := range append(mistakes, latecomers...) {
		late := strings.HasSuffix(m.which, "-later")
		for _, on := range []string{"", "return", "report", "abort"} {
			t.Run(m.which+"/"+on, func(t *testing.T) {
				t.Parallel()
				r := alone(t, []string{"ACP_ON_ERROR=" + on}, path, m.which)
				status := 0
				if on == "abort" || late {
					status = abortStatus
				}
				reports := on == "report" || on == "abort" || late
				if r.status != status || reports && !m.line().MatchString(r.stderr) || !reports && r.stderr != "" {
					t.Errorf("%v, expected status %d and, if any, the line %v", r, status, m.line())
				}
			})
		}
	}
}

// TestOnErrorRequest waits for a message that does not come.
func TestOnErrorRequest(t *testing.T) {
	path := program(t, "onerror")
	want := mistake{
		call:   "acp_wait_ch(request=%p)",
		reason: "receive of 8 bytes: channel freed by its sender",
	}.line()
	for _, net := range []string{"shm", "tcp"} {
		r := together(t, 2, []string{"ACP_ON_ERROR=report", "ACP_NET=" + net}, path, "wait-in-vain")
		if r[0].status != 0 || !want.MatchString(r[0].stderr) || r[1] != (ended{}) {
			t.Errorf("%s: %v, expected %v", net, r, want)
		}
	}
}

// TestOnErrorOutside calls a function before acp_init.
func TestOnErrorOutside(t *testing.T) {
	path := program(t, "onerror")
	for on, want := range map[string]ended{
		"return": {},
		"report": {stderr: "acp: acp_copy(dst=0x1000, src=0x1000, size=8, order=ACP_HANDLE_NULL): not initialised, or finalised\nacp: acp_complete(handle=ACP_HANDLE_NULL): not initialised, or finalised\n"},
		"abort":  {status: abortStatus, stderr: "acp: acp_copy(dst=0x1000, src=0x1000, size=8, order=ACP_HANDLE_NULL): not initialised, or finalised\n"},
	} {
		if r := alone(t, []string{"ACP_ON_ERROR=" + on}, path, "early"); r != want {
			t.Errorf("%s: %v, expected %v", on, r, want)
		}
	}
}

// TestOnErrorTogether ends a run of several ranks at the first mistake of one.
func TestOnErrorTogether(t *testing.T) {
	path := program(t, "onerror")
	for _, net := range []string{"shm", "tcp"} {
		r := together(t, 3, []string{"ACP_ON_ERROR=abort", "ACP_NET=" + net}, path, "copy-rank")
		checkLine(t, r[0], "0", abortStatus, []string{"acp_copy(", "there is no rank 3, the run has 3"})
		checkOthers(t, r[1:])
		allWell(t, together(t, 3, []string{"ACP_ON_ERROR=report", "ACP_NET=" + net}, path, "copy-rank")[1:], "")
	}
}

// TestOnErrorValue gives ACP_ON_ERROR a value that does not exist.
func TestOnErrorValue(t *testing.T) {
	r := alone(t, []string{"ACP_ON_ERROR=stop"}, program(t, "onerror"), "copy-rank")
	if want := `ACP_ON_ERROR: "stop": expected return, report or abort`; r.status == 0 || !strings.Contains(r.stderr, want) {
		t.Errorf("%v, expected %q", r, want)
	}
}

var (
	reportedCall = regexp.MustCompile(`(?m)^acp: (acp_\w+)\((.*?)\) by rank `)
	reportedName = regexp.MustCompile(`(\w+)=`)
	declaration  = regexp.MustCompile(`(?s)\b(acp_\w+)\(([^;]*)\);`)
	comparison   = regexp.MustCompile(`\(\*(\w+)\)\([^)]*\)`)
	lastWord     = regexp.MustCompile(`\w+$`)
)

// TestOnErrorNamesParameters calls every function with values at the edges. The lines about
// those that fail have the parameters that acp.h and acp_couple.h have.
func TestOnErrorNamesParameters(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some ten thousand cases")
	}
	want := map[string]string{}
	headers := readHeader(t, "acp.h") + readHeader(t, "acp_couple.h")
	for _, m := range declaration.FindAllStringSubmatch(declarations(headers), -1) {
		var list []string
		for p := range strings.SplitSeq(comparison.ReplaceAllString(m[2], "$1"), ",") {
			list = append(list, lastWord.FindString(strings.TrimSpace(p)))
		}
		want[m[1]] = strings.Join(list, " ")
	}
	progress := filepath.Join(t.TempDir(), "progress")
	if err := os.WriteFile(progress, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	r := alone(t, []string{"ACP_STARTER_MEMSIZE_DL=67108864", "ACP_ON_ERROR=report"}, program(t, "edges"), progress, "0")
	named := map[string]bool{}
	for _, m := range reportedCall.FindAllStringSubmatch(r.stderr, -1) {
		var list []string
		for _, p := range reportedName.FindAllStringSubmatch(m[2], -1) {
			list = append(list, p[1])
		}
		got := strings.Join(list, " ")
		// The macro with one argument calls the function with two.
		if macro := m[1] == "acp_dereference_deque_it" && got == "it"; !macro && got != want[m[1]] && !named[m[1]] {
			t.Errorf("%s(%s), expected the parameters %q", m[1], m[2], want[m[1]])
		}
		named[m[1]] = true
	}
	// Most functions can fail.
	if r.status != 0 || len(named) < len(want)*9/10 {
		t.Errorf("status %d, and the lines name %d functions of %d", r.status, len(named), len(want))
	}
}
