package tests

import (
	"debug/elf"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

var (
	helpOption = regexp.MustCompile(`(?m)^  (-\S.*)$`)
	pageOption = regexp.MustCompile(`(?m)^\.TP\n(\\fB\\-.*)$`)
	zshOption  = regexp.MustCompile(`(?m)^  '(-[^\[]+)\[`)
	fishOption = regexp.MustCompile(`(?m)^complete -c \S+ (-[osla]) (\S+)`)
	bashOption = regexp.MustCompile(`local options="([^"]*)"`)
	spelling   = regexp.MustCompile(`^--?[A-Za-z][A-Za-z0-9_:-]*`)
)

// TestHelpAndPages: the help of each command, its manual page and its completions have the same options.
func TestHelpAndPages(t *testing.T) {
	sandbox := suite.Sandbox(t)
	share := filepath.Join(filepath.Dir(filepath.Dir(suite.Bin(t, "acprun"))), "share")
	for _, c := range []struct{ name, help string }{
		{"acprun", "-help-all"}, {"macprun", "-help-all"}, {"acpstat", "-help"}, {"dmimw", "-help-all"},
		{"acpcc", "-showme:help"}, {"acpCC", "-showme:help"}, {"macpcc", "-showme:help"}, {"macpg++", "-showme:help"},
		{"acpfc", "-showme:help"}, {"macpfc", "-showme:help"}, {"acpgo", "-showme:help"}, {"macpgo", "-showme:help"},
		{"dmicc", "-showme:help"}, {"dmic++", "-showme:help"}, {"dmigo", "-showme:help"},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := func(path ...string) string {
				text, err := os.ReadFile(filepath.Join(append([]string{share}, path...)...))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			help := map[string]bool{}
			for _, m := range helpOption.FindAllStringSubmatch(sandbox.Must(c.name, c.help), -1) {
				spellings(help, m[1])
			}
			if len(help) < 8 {
				t.Fatalf("options of the help: %q", slices.Sorted(maps.Keys(help)))
			}
			same := func(where string, options map[string]bool) {
				t.Helper()
				if !maps.Equal(help, options) {
					t.Errorf("%s has\n%q, the help has\n%q", where, slices.Sorted(maps.Keys(options)), slices.Sorted(maps.Keys(help)))
				}
			}
			page := map[string]bool{}
			for _, m := range pageOption.FindAllStringSubmatch(sandbox.Must("/bin/sh", "-c", `gzip -dc "$0"`, filepath.Join(share, "man", "man1", c.name+".1.gz")), -1) {
				spellings(page, strings.NewReplacer(`\fB`, "", `\fI`, "", `\fP`, "", `\-`, "-").Replace(m[1]))
			}
			same("the manual page", page)
			bash := map[string]bool{}
			for _, m := range bashOption.FindAllStringSubmatch(read("bash-completion", "completions", c.name), -1) {
				spellings(bash, strings.ReplaceAll(m[1], " ", ", "))
			}
			same("bash", bash)
			fish := map[string]bool{}
			for _, m := range fishOption.FindAllStringSubmatch(read("fish", "vendor_completions.d", c.name+".fish"), -1) {
				dashes := map[string]string{"-o": "-", "-s": "-", "-l": "--", "-a": ""}[m[1]]
				spellings(fish, dashes+strings.Trim(m[2], "'"))
			}
			same("fish", fish)
			zsh := map[string]bool{}
			file := filepath.Join(share, "zsh", "site-functions", "_"+c.name)
			if _, err := os.Stat(file); err != nil { // the file of another name of the command has it
				return
			}
			for _, m := range zshOption.FindAllStringSubmatch(read("zsh", "site-functions", "_"+c.name), -1) {
				spellings(zsh, strings.ReplaceAll(m[1], `\:`, ":"))
			}
			same("zsh", zsh)
		})
	}
}

// spellings adds the spellings in a list with commas, without values.
func spellings(set map[string]bool, list string) {
	for word := range strings.SplitSeq(list, ", ") {
		if s := spelling.FindString(word); s != "" {
			set[s] = true
		}
	}
}

// internalSymbols are exported for other parts of GoACP.
var internalSymbols = regexp.MustCompile(`^(_?goacp_|GOACP_|crosscall2$|_cgo_|x_cgo_)`)

// TestEveryFunctionHasAPage: each function that a shared library shows has a page of section 3.
func TestEveryFunctionHasAPage(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	share := filepath.Join(filepath.Dir(filepath.Dir(suite.Bin(t, "acprun"))), "share")
	for name, least := range map[string]int{"acp": 250, "gp": 20, "armci": 200, "dmi": 80} {
		file, err := elf.Open(suite.Library(harness.MPI{}, "lib"+name+".so"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		symbols, err := file.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, s := range symbols {
			if s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC || internalSymbols.MatchString(s.Name) {
				continue
			}
			count++
			if _, err := os.Stat(filepath.Join(share, "man", "man3", s.Name+".3.gz")); err != nil {
				t.Errorf("lib%s.so: no page of %s", name, s.Name)
			}
		}
		if count < least {
			t.Errorf("lib%s.so shows %d functions", name, count)
		}
	}
}

// TestPagesShow: pages have text that readers look for, also under the other names of functions and commands.
func TestPagesShow(t *testing.T) {
	sandbox := suite.Sandbox(t)
	share := filepath.Join(filepath.Dir(filepath.Dir(suite.Bin(t, "acprun"))), "share")
	for _, c := range []struct{ page, text string }{
		{"man3/acp_copy.3", "acp_copy"}, {"man3/PARMCI_Put.3", "ARMCI_Put"}, {"man1/macpc++.1", "-showme"}, {"man5/acp-nodefile.5", "slots"},
	} {
		out := sandbox.Must("/bin/sh", "-c", `MANPAGER=cat mandoc -T utf8 "$0" | sed 's/.\x08//g'`, filepath.Join(share, "man", c.page+".gz"))
		if !strings.Contains(out, c.text) {
			t.Errorf("%s shows\n%s", c.page, out)
		}
	}
}
