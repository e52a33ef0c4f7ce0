package main

import (
	"slices"
	"strings"

	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/toolchain"
)

// goWords are the options of the go command whose value may be the next word,
// without dashes.
var goWords = []string{
	"C", "o", "p", "asmflags", "buildmode", "compiler", "covermode", "coverpkg", "exec", "gccgoflags", "gcflags",
	"installsuffix", "ldflags", "mod", "modfile", "overlay", "pgo", "pkgdir", "tags", "toolexec", "vettool",
	"f", "bench", "benchtime", "blockprofile", "count", "coverprofile", "cpu", "cpuprofile", "fuzz", "fuzztime",
	"list", "memprofile", "mutexprofile", "outputdir", "parallel", "run", "shuffle", "skip", "timeout", "trace",
}

// goBuilding are the commands of go that take -tags.
var goBuilding = []string{"build", "run", "test", "vet", "install", "list", "fix", "generate"}

// goOther are further commands of go. Any other first word means go build.
var goOther = []string{"bug", "clean", "doc", "env", "fmt", "get", "help", "mod", "telemetry", "tool", "version", "work"}

// subcommand takes the command of go off args.
func subcommand(args []string) (sub string, rest []string) {
	if len(args) > 0 && (slices.Contains(goBuilding, args[0]) || slices.Contains(goOther, args[0])) {
		return args[0], args[1:]
	}
	return "build", args
}

// planGo decides for acpgo and macpgo. With m the tag mpi is added to the user's
// and cgo is told where that MPI is.
func (t tool) planGo(d *toolchain.Data, m *toolchain.MPI, o ownOptions, rest []string, getenv func(string) string) (plan, error) {
	sub, args := subcommand(rest)
	p := plan{argv: []string{d.Go, sub}}
	var compile, link, added []string
	if m != nil {
		compile, link = m.CFlags, linkOnly(m)
		p.env = cgoEnvironment(d, compile, link, getenv)
		if slices.Contains(goBuilding, sub) {
			var chdir []string
			chdir, args = takeChdir(args)
			var tags []string
			tags, args = takeTags(sub, args, getenv("GOFLAGS"))
			added = []string{"-tags=" + strings.Join(append([]string{"mpi"}, tags...), ",")}
			p.argv = append(append(p.argv, chdir...), added...)
		}
	}
	p.argv = append(p.argv, args...)
	switch o.showme {
	case "":
		return p, nil
	case "-":
		return plan{say: p.command()}, nil
	case "command":
		return plan{say: mpiflags.Quote(d.Go)}, nil
	case "compile-info":
		return plan{say: mpiflags.Join(append(append([]string{d.Go}, compile...), added...))}, nil
	case "link-info":
		return plan{say: mpiflags.Join(append([]string{d.Go}, link...))}, nil
	case "compile":
		return plan{say: mpiflags.Join(append(slices.Clone(compile), added...))}, nil
	case "link":
		return plan{say: mpiflags.Join(link)}, nil
	case "incdirs":
		return plan{say: mpiflags.Join(cut(compile, "-I"))}, nil
	case "libdirs":
		return plan{say: mpiflags.Join(cut(link, "-L"))}, nil
	case "libs":
		return plan{say: mpiflags.Join(cut(link, "-l"))}, nil
	}
	return plan{say: t.about(d, o.showme)}, nil
}

// linkOnly returns the flags that cgo needs to link with m. github.com/sbromberger/gompi names the
// library of Open MPI in its source; with another MPI --as-needed keeps that second MPI out of the
// program.
func linkOnly(m *toolchain.MPI) []string {
	if m.Flavour == "openmpi" {
		return m.LDFlags
	}
	return append([]string{"-Wl,--as-needed"}, m.LDFlags...)
}

// cgoEnvironment makes cgo use the compiler and flags of configure. Flags of the user stay, behind
// these. Without any, the defaults of go stay.
func cgoEnvironment(d *toolchain.Data, compile, link []string, getenv func(string) string) []string {
	flags := func(name, otherwise string, words []string) string {
		theirs := getenv(name)
		if theirs == "" {
			theirs = otherwise
		}
		return name + "=" + strings.TrimSpace(mpiflags.Join(words)+" "+theirs)
	}
	env := []string{
		"CGO_ENABLED=1",
		flags("CGO_CFLAGS", "-O2 -g", compile),
		flags("CGO_LDFLAGS", "-O2 -g", link),
	}
	if getenv("CC") == "" {
		env = append(env, "CC="+mpiflags.Join(d.CC))
	}
	return env
}

// takeChdir takes a leading -C out of args: the go command expects it first.
func takeChdir(args []string) (chdir, rest []string) {
	switch {
	case len(args) > 1 && (args[0] == "-C" || args[0] == "--C"):
		return args[:2], args[2:]
	case len(args) > 0 && (strings.HasPrefix(args[0], "-C=") || strings.HasPrefix(args[0], "--C=")):
		return args[:1], args[1:]
	}
	return nil, args
}

// takeTags takes -tags out of args, up to the arguments of a program. Without -tags it returns the
// tags of GOFLAGS, because the -tags that macpgo adds would override them.
func takeTags(sub string, args []string, goflags string) (tags, rest []string) {
	n := programStart(sub, args)
	args, program := args[:n], args[n:]
	found := false
	for i := 0; i < len(args); i++ {
		value, joined := strings.CutPrefix(optionName(args[i]), "tags=")
		switch {
		case joined:
			tags, found = splitTags(value), true
		case optionName(args[i]) == "tags" && i+1 < len(args):
			i++
			tags, found = splitTags(args[i]), true
		case takesWord(langGo, args[i]) && i+1 < len(args):
			rest = append(rest, args[i], args[i+1])
			i++
		default:
			rest = append(rest, args[i])
		}
	}
	rest = append(rest, program...)
	if found {
		return tags, rest
	}
	for word := range strings.FieldsSeq(goflags) {
		if value, ok := strings.CutPrefix(optionName(word), "tags="); ok {
			tags = splitTags(value)
		}
	}
	return tags, rest
}

// programStart returns the index in args, the arguments of a go command, of the first word that may
// belong to a program: after the package of go run, or after -args of go test.
func programStart(sub string, args []string) int {
	for i := 0; i < len(args); i++ {
		switch {
		case optionName(args[i]) == "args", sub == "run" && !strings.HasPrefix(args[i], "-"):
			return i
		case takesWord(langGo, args[i]):
			i++
		}
	}
	return len(args)
}

func splitTags(list string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }),
		func(tag string) bool { return tag == "mpi" })
}

// cut returns the words that begin with prefix, without it.
func cut(words []string, prefix string) []string {
	var out []string
	for _, w := range words {
		if rest, ok := strings.CutPrefix(w, prefix); ok && rest != "" {
			out = append(out, rest)
		}
	}
	return out
}
