package reference

import (
	"os"
	"strings"
	"testing"

	"github.com/goacp/goacp/gen/fortrangen/fortrantest"
)

// TestPages: each function of the headers has its forms on one page, and what docs/bindings.md names is found.
func TestPages(t *testing.T) {
	modules := t.TempDir()
	fortrantest.Modules(t, "../../..", modules)
	pages, err := Pages("../../..", modules)
	if err != nil {
		t.Fatal(err)
	}
	names, all := map[string]bool{}, ""
	for _, p := range pages {
		if names[p.Name] {
			t.Errorf("two pages have the name %s", p.Name)
		}
		names[p.Name] = true
		all += p.Text
	}
	for _, list := range []string{"lib/acp/symbols.txt", "lib/acp/couple_symbols.txt", "lib/gp/symbols.txt", "lib/dmi/symbols.txt"} {
		text, err := os.ReadFile("../../../" + list)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(string(text)) {
			if n := strings.Count(all, "\n## `"+name+"`\n") + strings.Count(all, "\n## `"+name+"`, ") + strings.Count(all, ", `"+name+"`, ") + strings.Count(all, ", `"+name+"`\n"); n < 1 {
				t.Errorf("no heading has %s of %s", name, list)
			}
		}
	}
	for _, form := range []string{
		"    int acp_close_links(acp_links_t links);\n",
		"    // class acp::links\n    void send(std::int64_t step);\n",
		"    // namespace acp\n    template <class T> future<> copy(",
		"    function acp_copy(dst, src, size, order)\n      integer(acp_ga_t), value :: dst\n",
		"    subroutine acp_abort(str)\n      character(*), intent(in), optional :: str\n    ```",
		"    # class Run\n    def sync(self, ranks: Optional[Sequence[int]] = None) -> None\n",
		"    // package acp\n    func (p *Process) Sync() error\n",
		"    // package couple\n    func NewModel(",
	} {
		if !strings.Contains(all, form) {
			t.Errorf("no page has the form\n%s", form)
		}
	}
}

// TestCppForm: the declarations of headers without bodies and initialisers.
func TestCppForm(t *testing.T) {
	const header = `
// A box.
class box {
public:
    // Makes one. Throws error. acp_malloc.
    explicit box(int n = 1, int rank = 0)
        : handle_(acp_malloc(n, rank)) {}

    // The same with an error code. acp_malloc.
    box(int n, std::error_code &ec) noexcept;
};

// Sums up. acp_add4, acp_add8.
template <class T>
T sum(const box &b, T start = {}) { return start; }
`
	all := map[string][]form{}
	readCpp(strings.Split(header, "\n"), all)
	for name, want := range map[string]string{
		"acp_malloc": "// class acp::box|explicit box(int n = 1, int rank = 0);",
		"acp_add8":   "// namespace acp|template <class T> T sum(const box &b, T start = {});",
	} {
		if len(all[name]) != 1 || strings.Join(all[name][0], "|") != want {
			t.Errorf("%s: %q, expected %q", name, all[name], want)
		}
	}
}

// TestProse: names become code and links, and marks of Markdown stay text.
func TestProse(t *testing.T) {
	places := map[string]string{"acp_a": "page.md#acp_a", "acp_b": "other.md#acp_b"}
	got := prose([]string{"Calls acp_a and acp_b() with *size, NULL", "or 2*n < i*n, see docs/heap.md.", "", "   int x;", "", "- no list"}, "page.md", places)
	want := "Calls [`acp_a`](#acp_a) and [`acp_b()`](other.md#acp_b) with `*size`, `NULL`\nor 2\\*n &lt; i\\*n, see [heap.md](../heap.md).\n\n" +
		"\n```\nint x;\n```\n\n\\- no list\n\n"
	if got != want {
		t.Errorf("found\n%q, expected\n%q", got, want)
	}
}
