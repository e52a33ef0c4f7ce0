package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoCodeCompiles: the code in Go on pages of the manual compiles, also where it is a part of a function. A file in
// testdata declares the names that the code of its pages uses without declaring them.
func TestGoCodeCompiles(t *testing.T) {
	for names, pages := range map[string]map[string]int{ // blocks of each page, at least
		"couple.go": {"couple.md": 10, "couple-time.md": 1, "couple-implicit.md": 1, "couple-inspect.md": 1, "weights.md": 3},
		"structures.go": {"channels.md": 2, "workspace.md": 1, "heap.md": 1, "vector.md": 1, "deque.md": 1, "list.md": 2,
			"map.md": 2, "gp.md": 1, "armci.md": 1, "elastic.md": 1, "dmi.md": 1},
	} {
		t.Run(names, func(t *testing.T) {
			var source strings.Builder
			source.WriteString(read(t, "docs/testdata/"+names))
			for page, least := range pages {
				blocks := goBlocks(t, page)
				if len(blocks) < least {
					t.Errorf("%s has %d blocks of code, expected at least %d", page, len(blocks), least)
				}
				for i, b := range blocks {
					name := fmt.Sprintf("%s_%d", strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "-", "_"), i)
					source.WriteString(function(t, name, fmt.Sprintf("%s:%d", page, b.line), b.code))
				}
			}
			path := filepath.Join(t.TempDir(), names)
			if err := os.WriteFile(path, []byte(source.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("go", "build", path)
			build.Dir = ".."
			if out, err := build.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// goBlock is a block of code in Go, and the number of its first line.
type goBlock struct {
	code string
	line int
}

// goBlocks returns the blocks of a page of the manual.
func goBlocks(t *testing.T, page string) (blocks []goBlock) {
	t.Helper()
	text := read(t, "docs/"+page)
	const start, end = "```go\n", "\n```"
	for at := 0; ; {
		begin := strings.Index(text[at:], start)
		if begin < 0 {
			return blocks
		}
		at += begin + len(start)
		size := strings.Index(text[at:], end)
		if size < 0 {
			t.Fatalf("%s: the last block of code does not end", page)
		}
		blocks = append(blocks, goBlock{text[at : at+size+1], 1 + strings.Count(text[:at], "\n")})
		at += size
	}
}

// function returns a function whose body is code from a place on a page. Code on pages declares variables that it does
// not use. The function uses them.
func function(t *testing.T, name, place, code string) string {
	t.Helper()
	if strings.HasPrefix(code, "func ") {
		return fmt.Sprintf("\n//line %s\n%s", place, code)
	}
	head := fmt.Sprintf("\nfunc %s() error {\n//line %s\n%s", name, place, code)
	file, err := parser.ParseFile(token.NewFileSet(), name, "package p\n"+head+"}\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	var uses strings.Builder
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
		assign, ok := statement.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE {
			continue
		}
		for _, left := range assign.Lhs {
			if id := left.(*ast.Ident); id.Name != "_" {
				fmt.Fprintf(&uses, "_ = %s\n", id.Name)
			}
		}
	}
	return head + uses.String() + "return nil\n}\n"
}
