package shell

import (
	"path"
	"slices"
	"strings"
)

// prefix describes a command that starts the command behind it in its own place or as a child, so
// that a launcher may stand behind it.
type prefix struct {
	subcommands []string // words that stand before the options
	short       string   // letters of the options whose argument may be the next word
	long        []string // names of the options whose argument may be the next word
	operands    int      // words between the options and the command
	assigns     bool     // assignments may stand before the command
	// sets: without the command, the launcher behind it may be another one or print another version.
	sets bool
}

// prefixes are the commands that users put before a launcher.
var prefixes = map[string]prefix{
	"catchsegv": {},
	"chrt":      {short: "TPD", long: []string{"sched-runtime", "sched-period", "sched-deadline"}, operands: 1},
	"command":   {sets: true},
	"env":       {short: "uC", long: []string{"unset", "chdir"}, assigns: true, sets: true},
	"exec":      {short: "a"},
	"flock":     {short: "wE", long: []string{"timeout", "wait", "conflict-exit-code"}, operands: 1},
	"ionice":    {short: "cnpPu", long: []string{"class", "classdata", "pid", "pgid", "uid"}},
	"linux32":   {},
	"linux64":   {},
	"ltrace":    {short: "aADeFlnosuxpw"},
	"nice":      {short: "n", long: []string{"adjustment"}},
	"nohup":     {},
	"numactl": {short: "iwpPmNC", long: []string{"interleave", "weighted-interleave", "preferred", "preferred-many",
		"membind", "cpunodebind", "cpubind", "physcpubind"}},
	"perf": {subcommands: []string{"stat", "record", "trace"}, short: "CeFGIoxDrm",
		long: []string{"event", "output", "repeat", "field-separator", "cpu", "count", "freq", "call-graph", "delay", "cgroup", "interval-print", "clockid"}},
	"prlimit": {},
	"setsid":  {},
	"stdbuf":  {short: "ioe", long: []string{"input", "output", "error"}},
	"strace":  {short: "aeobEIOpPsSuUX", long: []string{"output", "trace", "env", "string-limit", "user", "columns"}},
	"taskset": {operands: 1},
	"time":    {short: "fo", long: []string{"format", "output"}},
	"timeout": {short: "ks", long: []string{"kill-after", "signal"}, operands: 1},
	// Options of valgrind have their arguments behind an equals sign.
	"valgrind": {},
}

// skip returns the text behind a prefix with its options and operands. rest begins behind the name. ok is
// false if a subcommand does not start another command.
func (p prefix) skip(rest string) (after string, ok bool) {
	if len(p.subcommands) > 0 {
		var word string
		if word, rest = CutWord(rest); !slices.Contains(p.subcommands, word) {
			return rest, false
		}
	}
	for rest != "" {
		word, next := CutWord(rest)
		if len(word) < 2 || word[0] != '-' {
			// For env a lone dash is an option.
			if word != "-" {
				break
			}
			rest = next
			continue
		}
		rest = next
		if word == "--" {
			break
		}
		if p.takesNext(word) {
			_, rest = CutWord(rest)
		}
	}
	for range p.operands {
		_, rest = CutWord(rest)
	}
	for p.assigns && rest != "" {
		word, next := CutWord(rest)
		if !IsAssignment(word) {
			break
		}
		rest = next
	}
	return rest, true
}

// takesNext reports whether the argument of an option is the next word. A long option may be cut
// short, as getopt_long allows.
func (p prefix) takesNext(option string) bool {
	if name, long := strings.CutPrefix(option, "--"); long {
		return slices.ContainsFunc(p.long, func(full string) bool { return strings.HasPrefix(full, name) })
	}
	for i := 1; i < len(option); i++ {
		if strings.IndexByte(p.short, option[i]) >= 0 {
			return i == len(option)-1
		}
	}
	return false
}

// launcherAt returns where the launcher of a runtime line begins and ends: behind the assignments
// and the prefixes of the last command. If there is none, begin is the length of the line.
// question is the part of the last command that decides which launcher it is, without the launcher.
func launcherAt(line string) (begin, end int, question string) {
	rest := strings.TrimLeft(lastCommand(line), " \t")
	for rest != "" {
		word, next := CutWord(rest)
		after, keep := next, true
		if !IsAssignment(word) {
			p, known := prefixes[path.Base(word)]
			ok := false
			if known {
				after, ok = p.skip(next)
			}
			if !ok || after == "" {
				begin = len(line) - len(rest)
				return begin, begin + len(strings.TrimRight(rest[:len(rest)-len(next)], " \t")), question
			}
			keep = p.sets
		}
		if keep {
			question += rest[:len(rest)-len(after)]
		}
		rest = after
	}
	return len(line), len(line), question
}
