package main

import (
	"io/fs"
	"os"
	"strings"

	"github.com/goacp/goacp/wrappers/mpiflags"
)

// mostResponseFiles bounds the response files of a command, which may name each other, as compilers do.
const mostResponseFiles = 2000

// expand returns arguments with the words of response files (@FILE) in their places, as the compiler sees them. What cannot be read stays:
// the compiler takes it for the name of an input.
func expand(args []string) []string {
	var all []string
	for left := mostResponseFiles; len(args) > 0; {
		arg := args[0]
		args = args[1:]
		if name, isFile := strings.CutPrefix(arg, "@"); isFile && left > 0 {
			if words, err := responseWords(name); err == nil {
				left--
				args = append(words, args...)
				continue
			}
		}
		all = append(all, arg)
	}
	return all
}

// responseWords returns the words of a response file. It does not read pipes, from which the compiler would get nothing then.
func responseWords(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return mpiflags.Split(string(text))
}
