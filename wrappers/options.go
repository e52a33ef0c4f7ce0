package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/wrappers/optiontext"
)

// ownOptions are the options that the wrapper takes for itself.
type ownOptions struct {
	showme string // "" for none, "-" for the plain form, else what stands after the colon
	mpi    string // value of -mpi
	help   bool   // --help
	hook   hook   // -mhook and those that begin like it
}

// showForms are the forms of -showme:, apart from version and help.
var showForms = []string{"command", "compile", "link", "incdirs", "libdirs", "libs", "version", "help"}

// brief is the form of -showme: for -help.
const brief = "brief"

// mpichForms are the queries that the wrappers of MPICH know beside -show, as forms of -showme. They print the
// compiler and the flags of one step.
var mpichForms = map[string]string{
	"compile-info": "compile-info", "compile_info": "compile-info", "link-info": "link-info", "link_info": "link-info",
}

// ownOptions takes the wrapper's own options out of args, with one dash or two. It leaves words
// alone that may belong to a program which go run or go test starts.
func (t tool) ownOptions(args []string) (ownOptions, []string, error) {
	var o ownOptions
	var rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if t.lang == langGo && (optionName(arg) == "args" || len(rest) > 0 && rest[0] == "run" && !strings.HasPrefix(arg, "-")) {
			return o, append(rest, args[i:]...), nil
		}
		switch form, isForm := strings.CutPrefix(optionName(arg), "showme:"); {
		case optionName(arg) == "showme", optionName(arg) == "show":
			o.showme = "-"
		case mpichForms[optionName(arg)] != "":
			o.showme = mpichForms[optionName(arg)]
		case isForm:
			if o.showme = form; !slices.Contains(showForms, form) {
				return o, nil, fmt.Errorf("option %s: expected one of %s after the colon", arg, strings.Join(showForms, ", "))
			}
		case optionName(arg) == "ndev" || optionName(arg) == "mpi":
			if i++; i == len(args) {
				return o, nil, fmt.Errorf("option %s: expected a name after it", arg)
			}
			if err := t.setNamed(&o, optionName(arg), args[i]); err != nil {
				return o, nil, err
			}
		case isHookOption(arg):
			words, err := o.hook.take(t, args[i:])
			if err != nil {
				return o, nil, err
			}
			i += words - 1
		case arg == "--help" && t.lang != langGo:
			o.help = true
		case optionName(arg) == "help" && (t.lang != langGo || len(rest) == 0): // go test has a -help of its own
			o.showme = brief
		case takesWord(t.lang, arg) && i+1 < len(args):
			rest = append(rest, arg, args[i+1])
			i++
		default:
			rest = append(rest, arg)
		}
	}
	return o, rest, o.hook.finish()
}

func (t tool) setNamed(o *ownOptions, option, value string) error {
	if option == "ndev" {
		if !slices.Contains(optiontext.Networks, value) {
			return fmt.Errorf("unsupported network device %q: option -ndev expects one of %s", value, strings.Join(optiontext.Networks, ", "))
		}
		return nil
	}
	if t.dmi {
		return fmt.Errorf("option -mpi %s: programs with DMI have no MPI", value)
	}
	if !t.mpi {
		return fmt.Errorf("option -mpi %s: %s builds programs without MPI, expected m%s", value, t.name, t.name)
	}
	o.mpi = value
	return nil
}

// ccWords are the options of compilers of C, C++ and Fortran whose value is always the next word. That word is neither
// an option nor an input file.
var ccWords = []string{
	"-o", "--output", "-x", "-u", "-z", "-e", "-T", "-MF", "-MT", "-MQ", "-include", "-imacros", "-isystem", "-idirafter",
	"-iquote", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot", "-imultilib", "-Xlinker",
	"-Xassembler", "-Xpreprocessor", "-Xclang", "-mllvm", "-target", "-wrapper", "-dumpbase", "-dumpbase-ext",
	"-dumpdir", "-aux-info", "--param", "-I", "-D", "-U", "-L", "-l", "-A", "-J", "--sysroot",
}

// takesWord reports whether the value of the compiler's option arg is the next word.
func takesWord(lang language, arg string) bool {
	if lang == langGo {
		return slices.Contains(goWords, optionName(arg))
	}
	return slices.Contains(ccWords, arg)
}

// optionName returns an option without its one or two dashes, with any value that is joined to it.
// It returns "" for other words.
func optionName(word string) string {
	name, ok := strings.CutPrefix(word, "-")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(name, "-")
}
