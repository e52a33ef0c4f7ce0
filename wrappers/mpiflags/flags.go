package mpiflags

import (
	"fmt"
	"strings"
)

// Flags are the words that a compiler needs for MPI, apart by purpose. The order
// within each list is that of the wrapper: for libraries it matters.
type Flags struct {
	Compile []string // -I, -D, -pthread and the like
	Link    []string // -L, -l, -Wl, and the like
}

// FromShow takes apart the one line that `mpicc -show` and `mpicc -showme` print: the compiler,
// then flags of both kinds. The compiler may be several words ("ccache gcc"); it ends at the first
// word with a dash, and is not returned. A line without a compiler or without a flag is an error.
func FromShow(line string) (Flags, error) {
	words, err := Split(line)
	if err != nil {
		return Flags{}, err
	}
	first := 0
	for first < len(words) && !strings.HasPrefix(words[first], "-") {
		first++
	}
	if first == 0 || first == len(words) {
		return Flags{}, fmt.Errorf("cannot read %q: expected a compiler, then flags", line)
	}
	return sort(rejoin(words[first:])), nil
}

// FromParts reads the two lines of wrappers that tell the flags for compiling and for linking apart
// (`--showme:compile` and `--showme:link`, `-compile-info` and `-link-info`). Either line may begin
// with the compiler, and then either may have flags of both kinds. FromParts leaves out of each
// line the flags for the other purpose.
func FromParts(compile, link string) (Flags, error) {
	var flags Flags
	for _, part := range []struct {
		name, line string
		keep       func(Flags)
	}{
		{"compile", compile, func(f Flags) { flags.Compile = f.Compile }},
		{"link", link, func(f Flags) { flags.Link = f.Link }},
	} {
		words, err := Split(part.line)
		if err != nil {
			return Flags{}, fmt.Errorf("%s flags: %w", part.name, err)
		}
		for len(words) > 0 && !strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
		part.keep(sort(rejoin(words)))
	}
	if len(flags.Compile)+len(flags.Link) == 0 {
		return Flags{}, fmt.Errorf("no flags in %q and %q", compile, link)
	}
	return flags, nil
}

// rejoin puts together paths that lost their quotes: a bare word after -I or -L
// that is neither a path from the root nor a file to link can only be the rest of
// that directory's name.
func rejoin(words []string) []string {
	var out []string
	for _, w := range words {
		if n := len(out); n > 0 && isRest(out[n-1], w) {
			out[n-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func isRest(before, word string) bool {
	directory := (strings.HasPrefix(before, "-I") || strings.HasPrefix(before, "-L")) && len(before) > 2 ||
		strings.HasPrefix(before, "-Wl,-rpath,")
	if !directory || strings.HasPrefix(word, "-") || strings.HasPrefix(word, "/") {
		return false
	}
	for _, suffix := range []string{".a", ".so", ".o", ".lo"} {
		if strings.HasSuffix(word, suffix) {
			return false
		}
	}
	return true
}

// takesValue are the flags whose value may be the next word; link tells the list
// that both belong to.
var takesValue = map[string]struct{ link bool }{
	"-I": {}, "-D": {}, "-U": {}, "-include": {}, "-isystem": {}, "-idirafter": {}, "-iquote": {},
	"-L": {link: true}, "-l": {link: true}, "-Xlinker": {link: true}, "-framework": {link: true},
	"-rpath": {link: true}, "-u": {link: true}, "-z": {link: true}, "-T": {link: true},
}

// sort tells flags for compiling from flags for linking. What both need
// (-pthread, -m64, -fopenmp …) goes into both lists.
func sort(words []string) Flags {
	var f Flags
	for i := 0; i < len(words); i++ {
		w := words[i]
		group := words[i : i+1]
		if _, ok := takesValue[w]; ok && i+1 < len(words) {
			group = words[i : i+2]
			i++
		}
		switch value, ok := takesValue[w]; {
		case ok && value.link, isLink(w):
			f.Link = append(f.Link, group...)
		case ok, isCompile(w):
			f.Compile = append(f.Compile, group...)
		default:
			f.Compile = append(f.Compile, group...)
			f.Link = append(f.Link, group...)
		}
	}
	return f
}

func isLink(w string) bool {
	for _, p := range []string{"-L", "-l", "-Wl,", "-Xlinker", "-rdynamic", "-static", "-shared", "-nostartfiles", "-pie", "-no-pie"} {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	return !strings.HasPrefix(w, "-") // an archive, an object, a linker script
}

func isCompile(w string) bool {
	for _, p := range []string{"-I", "-D", "-U", "-W", "-O", "-std=", "-include", "-i"} {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	return false
}
