package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// written writes all files into a folder.
func written(t *testing.T) (dir string, files map[string]string) {
	t.Helper()
	files, err := allFiles("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range files {
		if err := write(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
	return dir, files
}

// TestPagesAreClean: neither mandoc nor groff warns of a page, and links lead to pages.
func TestPagesAreClean(t *testing.T) {
	dir, files := written(t)
	var pages []string
	for name, text := range files {
		if !strings.HasPrefix(name, "man/") {
			continue
		}
		if target, is := strings.CutPrefix(text, linkTo); is {
			if files[filepath.Join(filepath.Dir(name), target)] == "" {
				t.Errorf("%s leads to %s, which is no page", name, target)
			}
			continue
		}
		pages = append(pages, filepath.Join(dir, name))
	}
	if len(pages) < 300 {
		t.Errorf("only %d pages", len(pages))
	}
	for _, check := range [][]string{{"mandoc", "-T", "lint", "-W", "warning"}, {"groff", "-ww", "-man", "-Tutf8", "-z"}} {
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Fatalf("%v: ./bootstrap installs it", err)
		}
		out, err := exec.Command(check[0], append(check[1:], pages...)...).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%.2000s", check[0], err, out)
		}
	}
}

// TestVariables: the page of the variables has each variable of package envvar.
func TestVariables(t *testing.T) {
	_, files := written(t)
	page := files["man/man7/acp-environment.7"]
	source, err := parser.ParseFile(token.NewFileSet(), "../../internal/ground/envvar/envvar.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	ast.Inspect(source, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			name, _ := strconv.Unquote(literal.Value)
			count++
			if !strings.Contains(page, `\fB`+name+`\fP`) {
				t.Errorf("no variable %s", name)
			}
		}
		return true
	})
	if count < 20 {
		t.Errorf("%d variables", count)
	}
}

// TestSummary: the first sentence of a comment, as the line of a page that names it.
func TestSummary(t *testing.T) {
	if s := summary([]string{"First of all: does it. More."}, []string{"ARMCI_Do"}); s != "first of all" {
		t.Errorf("summary %q", s)
	}
}

// TestText: characters that are requests or escapes of roff stay text.
func TestText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plain(`a-b -1 (-x) it's \n "…"`), `a-b \-1 (\-x) it\(aqs \en "\[u2026]"`},
		{markdownText("See [the page](x.md#y), `-np N` and *this*."), `See the page, \fB\-np N\fP and \fIthis\fP.`},
		{macroArgument(`say "no"`), `"say \(dqno\(dq"`},
		{beginsLine(".so x"), `\&.so x`},
		{strings.Join(cells(`| a \| b | c |`), "/"), "a | b/c"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, expected %q", c.got, c.want)
		}
	}
}

// TestBashCompletes: what bash offers for some lines.
func TestBashCompletes(t *testing.T) {
	dir, _ := written(t)
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "hosts.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, words, want string }{
		{"acprun", "acprun -on", "-on-error"},
		{"acprun", "acprun -on-error re", "return report"},
		{"acprun", "acprun --acp-net = t", "tcp"},
		{"acprun", "acprun --acp-net =", "auto shm rma tcp"},
		{"acprun", "acprun --acp-np = 4 -on-error a", "abort"},
		{"acprun", "acprun -nodefile ho", "hosts.txt"},
		{"acprun", "acprun -np 4 ./program -on", ""},
		{"acprun", "acprun -np 4 ./program ho", "hosts.txt"},
		{"acprun", "acprun -debug-layers tcp,remo", "tcp,remote"},
		{"macprun", "macprun -mhook", ""},
		{"macprun", "macprun ho", "hosts.txt"},
		{"acpstat", "acpstat -j", "-json"},
		{"macpcc", "macpcc -showme : lib", "libdirs libs"},
		{"macpcc", "macpcc -ndev sh", "shm"},
		{"acpc++", "acpc++ -mhookl", "-mhooklarge -mhooklow="},
		{"acpgo", "acpgo -mhook", ""},
	} {
		function := "_goacp_" + strings.Replace(c.command, "c++", "cc", 1)
		cmd := exec.Command("bash", "-c", `. "$0"; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "$2"; echo "${COMPREPLY[*]}"`,
			filepath.Join(dir, "bash-completion", "completions", c.command), c.words, function)
		cmd.Dir = empty
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, expected %q", c.words, got, err, c.want)
		}
	}
}

// TestShellsRead: the shells read the completions. fish also completes some lines.
func TestShellsRead(t *testing.T) {
	dir, files := written(t)
	for name := range files {
		shell, _, _ := strings.Cut(name, "/")
		shell = strings.TrimSuffix(shell, "-completion")
		if shell == "man" {
			continue
		}
		if out, err := exec.Command(shell, "-n", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"acprun -on-err", "-on-error"}, {"acprun -on-error re", "report return"}, {"acpcc -showme:li", "-showme:libdirs -showme:libs -showme:link"},
	} {
		command, _, _ := strings.Cut(c.line, " ")
		cmd := exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''`,
			filepath.Join(dir, "fish", "vendor_completions.d", command+".fish"), c.line)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != c.want {
			t.Errorf("fish, %s: %q, %v, expected %q", c.line, got, err, c.want)
		}
	}
}
