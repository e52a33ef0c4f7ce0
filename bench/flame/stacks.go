package main

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
)

// frame is a function in a tree of stacks.
type frame struct {
	name    string
	samples int // in it and in its callees
	callees map[string]*frame
}

// add counts a sample whose stack has these functions, the outermost first.
func (f *frame) add(stack []string) {
	f.samples++
	if len(stack) == 0 {
		return
	}
	if f.callees == nil {
		f.callees = map[string]*frame{}
	}
	next := f.callees[stack[0]]
	if next == nil {
		next = &frame{name: stack[0]}
		f.callees[stack[0]] = next
	}
	next.add(stack[1:])
}

// readStacks reads the output of perf script: for each sample a line with the name of the thread, a line for each function, the
// innermost first, and an empty line. A line of a function has its address and its name.
func readStacks(in io.Reader) (*frame, error) {
	root := &frame{name: "all"}
	var thread string
	var stack []string
	end := func() {
		if thread != "" {
			slices.Reverse(stack)
			root.add(append([]string{thread}, stack...))
		}
		thread, stack = "", nil
	}
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		switch text := strings.TrimSpace(scan.Text()); {
		case text == "":
			end()
		case thread == "":
			thread = text
		default:
			if _, name, ok := strings.Cut(text, " "); ok {
				stack = append(stack, shortName(name))
			}
		}
	}
	end()
	if root.samples == 0 {
		return nil, errors.New("no stacks: expected the output of perf script -F comm,ip,sym")
	}
	return root, scan.Err()
}

// shortName returns the name of a function without the path of its package.
func shortName(name string) string {
	name, _, _ = strings.Cut(name, "+0x")
	at := strings.IndexByte(name, '(')
	if at < 0 {
		at = len(name)
	}
	return name[strings.LastIndexByte(name[:at], '/')+1:]
}
