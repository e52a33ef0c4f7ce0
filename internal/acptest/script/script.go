// Package script plays tests of state machines that are texts. A script consists of paragraphs:
//
//	# A comment.
//	command argument key=value flag
//	----
//	what the command prints
//
// A value with blanks stands in quotes. With the flag -rewrite a test writes what its commands print into the scripts, and
// a reader compares that with what was there.
package script

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the commands of scripts print into the scripts")

// Commands are the commands of scripts, by name. S is what they work on. A command prints its result.
type Commands[S any] map[string]func(S, *Arguments) string

// Play plays the scripts in testdata, each from a new beginning.
func Play[S any](t *testing.T, begin func() S, commands Commands[S]) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			played, err := play(t, begin(), commands, file, string(text))
			if err != nil {
				t.Fatal(err)
			}
			if *rewrite && !bytes.Equal(text, []byte(played)) {
				if err := os.WriteFile(file, []byte(played), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play plays a script, and compares what its commands print. It returns the script with what they have printed.
func play[S any](t *testing.T, s S, commands Commands[S], file, script string) (played string, err error) {
	var out strings.Builder
	lines := strings.SplitAfter(script, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		out.WriteString(lines[i])
		if line == "" || line[0] == '#' {
			continue
		}
		at := fmt.Sprintf("%s:%d", file, i+1)
		a, err := parse(line)
		if err != nil {
			return "", fmt.Errorf("%s: %w", at, err)
		}
		command := commands[a.command]
		if command == nil || i+1 == len(lines) || strings.TrimSpace(lines[i+1]) != "----" {
			return "", fmt.Errorf("%s: there is no command %s, or no line of dashes follows it", at, a.command)
		}
		i++
		out.WriteString(lines[i])
		var want strings.Builder
		for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" {
			i++
			want.WriteString(lines[i])
		}
		got := command(s, a)
		if left := a.left(); left != "" {
			a.Fail("argument %s has no meaning", left)
		}
		if a.err != nil {
			return "", fmt.Errorf("%s: %w", at, a.err)
		}
		if got != want.String() && !*rewrite {
			t.Errorf("%s: %s prints\n%sand not\n%s", at, line, got, want.String())
		}
		out.WriteString(got)
	}
	return out.String(), nil
}

// Arguments are the words behind a command.
type Arguments struct {
	command string
	plain   []string
	named   map[string]string
	err     error // the first argument that is wrong
}

// parse splits a line into words.
func parse(line string) (*Arguments, error) {
	a := &Arguments{named: make(map[string]string)}
	a.command, line, _ = strings.Cut(line, " ")
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		end := strings.IndexAny(line, " =")
		if end < 0 {
			end = len(line)
		}
		word := line[:end]
		if line = line[end:]; !strings.HasPrefix(line, "=") {
			a.plain = append(a.plain, word)
			continue
		}
		line = line[1:]
		if strings.HasPrefix(line, `"`) {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			a.named[word], _ = strconv.Unquote(quoted)
			line = line[len(quoted):]
			continue
		}
		a.named[word], line, _ = strings.Cut(line, " ")
	}
	return a, nil
}

// Fail says that an argument is wrong. The test fails when the command has returned.
func (a *Arguments) Fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// left returns an argument that nothing has read, or "".
func (a *Arguments) left() string {
	for name := range a.named {
		return name
	}
	return strings.Join(a.plain, " ")
}

// Next returns the next argument without a name.
func (a *Arguments) Next() string {
	if len(a.plain) == 0 {
		a.Fail("an argument is missing")
		return ""
	}
	word := a.plain[0]
	a.plain = a.plain[1:]
	return word
}

// Number returns the number that a word is.
func (a *Arguments) Number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		a.Fail("%w", err)
	}
	return n
}

// Flag reports whether an argument without a name is there.
func (a *Arguments) Flag(name string) bool {
	for i, word := range a.plain {
		if word == name {
			a.plain = append(a.plain[:i:i], a.plain[i+1:]...)
			return true
		}
	}
	return false
}

// Text returns a named argument, or what it is if it is missing.
func (a *Arguments) Text(name, otherwise string) string {
	word, ok := a.named[name]
	if !ok {
		return otherwise
	}
	delete(a.named, name)
	return word
}

// Value is Text for a number.
func (a *Arguments) Value(name string, otherwise int) int {
	return a.Number(a.Text(name, strconv.Itoa(otherwise)))
}

// Has reports whether a named argument is there and has not been read.
func (a *Arguments) Has(name string) bool {
	_, ok := a.named[name]
	return ok
}

// More reports whether there are more arguments without a name.
func (a *Arguments) More() bool { return len(a.plain) > 0 }

// Numbers returns the numbers of a named argument such as 0,1,5-9.
func (a *Arguments) Numbers(name string) (all []int) {
	for _, word := range strings.Split(a.Text(name, ""), ",") {
		if word == "" {
			continue
		}
		first, last, more := strings.Cut(word, "-")
		if !more {
			last = first
		}
		for n := a.Number(first); n <= a.Number(last) && a.err == nil; n++ {
			all = append(all, n)
		}
	}
	return all
}
