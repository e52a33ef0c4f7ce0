// Mangen writes the manual pages and the completion of options for shells:
//
//	go run ./gen/mangen FOLDER
//
// writes them below FOLDER, as they are installed below PREFIX/share: man/man1 … man7, compressed, bash-completion, zsh and fish.
//
//   - Section 1 has a page for each command. The options come from the tables of the launchers and of the wrapper
//     compilers and from the help of acpstat, other text from sections of pages in docs.
//   - Section 3 has a page for each function of the headers for users. It is made of the comment of the function. If
//     several declarations stand below one comment, they share a page.
//   - Section 5 has the formats of files. The pages are sections of pages in docs.
//   - Section 7 has a page for each library, made of the comment at the top of its header, and one for the variables of
//     the environment.
//
// The pages use the macros man(7). The tests check all pages with mandoc and groff.
package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// date is in the head of every page. It is that of the last change to their form, so that builds can be reproduced.
const date = "2026-11-27"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: mangen FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "mangen:", err)
		os.Exit(1)
	}
}

// generate writes all files below a folder, and removes pages and completions that were there before.
func generate(dir string) error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	files, err := allFiles(strings.TrimSpace(string(out)))
	if err != nil {
		return err
	}
	for _, name := range []string{"man", "bash-completion", "zsh", "fish"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for name, text := range files {
		write := write
		if strings.HasPrefix(name, "man/") {
			write = compress
		}
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// compress is write with gzip and the end .gz of names. All programs for manual pages read them.
func compress(path, text string) error {
	const end = ".gz"
	if strings.HasPrefix(text, linkTo) {
		return write(path+end, text+end)
	}
	var b strings.Builder
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write([]byte(text)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return write(path+end, b.String())
}

// write writes a file or a symbolic link.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if target, is := strings.CutPrefix(text, linkTo); is {
		return os.Symlink(target, path)
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// allFiles returns the text of all files by their paths. root is the folder of the source.
func allFiles(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, write := range []func(root string, files map[string]string) error{headerPages, commandPages, formatPages, environmentPage, messagesPage} {
		if err := write(root, files); err != nil {
			return nil, err
		}
	}
	completions(files)
	return files, nil
}
