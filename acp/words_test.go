package acp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// literalOfC matches a string literal of C, which ends on its line.
var literalOfC = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// assertionOfC matches a static assertion, whose text only a compiler prints.
var assertionOfC = regexp.MustCompile(`(?s)_Static_assert\(.*?\);`)

// TestMessagesNameRanks: messages for users name processes by their ranks. No text in the sources of this
// module, apart from those of tests, contains the word member.
func TestMessagesNameRanks(t *testing.T) {
	member := regexp.MustCompile(`(?i)\bmembers?\b`)
	files := make(map[string]int) // by the ends of their names
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "../build" || path == "../vendor" || path != ".." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files[filepath.Ext(path)]++
		switch filepath.Ext(path) {
		case ".go":
			return eachLiteral(path, func(at token.Position, text string) {
				if member.MatchString(text) {
					t.Errorf("%v: %q contains the word member: messages name ranks", at, text)
				}
			})
		case ".c", ".h":
			text, err := os.ReadFile(path)
			text = assertionOfC.ReplaceAll(text, nil)
			for _, literal := range literalOfC.FindAllString(string(text), -1) {
				if member.MatchString(literal) {
					t.Errorf("%s: %s contains the word member: messages name ranks", path, literal)
				}
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files[".go"] < 200 || files[".c"] == 0 {
		t.Errorf("only %d files of Go and %d of C were looked at", files[".go"], files[".c"])
	}
}

// eachLiteral calls f with every string literal of a file of Go.
func eachLiteral(path string, f func(at token.Position, text string)) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, unquoted := strconv.Unquote(literal.Value)
		if unquoted != nil {
			text = literal.Value
		}
		f(set.Position(literal.Pos()), text)
		return true
	})
	return nil
}
