package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
)

// TestResponsePipe: a pipe in place of a response file is left to the compiler.
func TestResponsePipe(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := io.WriteString(write, "-shared"); err != nil {
		t.Fatal(err)
	}
	write.Close()
	args := []string{fmt.Sprintf("@/proc/self/fd/%d", read.Fd()), "x.o"}
	if got := expand(args); !slices.Equal(got, args) {
		t.Errorf("%q becomes %q", args, got)
	}
	if left, err := io.ReadAll(read); string(left) != "-shared" || err != nil {
		t.Errorf("the compiler would read %q, %v", left, err)
	}
}
