// Flame draws a flame graph: each function is a box above the one that has called it, as wide as the share of the
// samples that it and its callees have.
//
//	perf script -F comm,ip,sym | flame [-title TEXT] > FILE.svg
//
// It reads the stacks that perf has recorded. The bottom has the names of the threads. A browser shows the full name and the share of
// a box under the pointer.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	title := flag.String("title", "", "write `TEXT` above the graph")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *title); err != nil {
		fmt.Fprintln(os.Stderr, "flame:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, title string) error {
	root, err := readStacks(in)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	draw(w, root, title)
	return w.Flush()
}
