package config

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/tabletest"
)

// seed gives a fuzz target the files of all cases in testdata.
func seed(f *testing.F, pattern string, add func(text string)) {
	paths, err := filepath.Glob(filepath.Join("../testdata", pattern))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no files %s: %v", pattern, err)
	}
	for _, path := range paths {
		_, cases := tabletest.Read(&testing.T{}, path)
		for _, c := range cases {
			for _, file := range c.Files {
				add(file.Text)
			}
		}
	}
}

// checkParseError fails unless err names the file and a line that exists.
func checkParseError(t *testing.T, err error, text string) {
	t.Helper()
	var parse *ParseError
	if !errors.As(err, &parse) || parse.File != "file" {
		t.Fatalf("%v: expected a ParseError", err)
	}
	if lines := strings.Count(text, "\n") + 1; parse.Line < 0 || parse.Line > lines {
		t.Fatalf("%v: the file has %d lines", err, lines)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Fatalf("%q is more than one line", err)
	}
}

func FuzzInputfile(f *testing.F) {
	seed(f, "*inputfiles.txt", func(text string) { f.Add(text) })
	seed(f, "plan-macprun.txt", func(text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text string) {
		input, err := ParseInputfile("file", []byte(text))
		if err != nil {
			checkParseError(t, err, text)
			return
		}
		checkJobs(t, input)
		input.Warnings = nil // about ignored text
		// The parsed description, written in its plainest form, parses to the same.
		plain := strconv.Itoa(len(input.Jobs))
		for _, field := range []func(JobSpec) string{
			plainLauncher, func(j JobSpec) string { return strconv.Itoa(j.Size) }, plainCommand,
		} {
			for _, job := range input.Jobs {
				plain += "\n" + field(job)
			}
		}
		again, err := ParseInputfile("file", []byte(plain))
		if err != nil {
			t.Fatalf("%q: %v", plain, err)
		}
		for i := range again.Jobs {
			to, from := &again.Jobs[i], &input.Jobs[i]
			to.Line, to.SizeLine, to.CommandLine, to.NameLine = from.Line, from.SizeLine, from.CommandLine, from.NameLine
		}
		if !reflect.DeepEqual(input, again) {
			t.Fatalf("%+v became %+v", input, again)
		}
	})
}

// plainLauncher returns the launcher of a job with its MPI as a comment.
func plainLauncher(job JobSpec) string {
	if job.MPI == "" {
		return job.Launcher
	}
	return job.Launcher + " #mpi=" + job.MPI
}

// plainCommand returns the command of a job with its name as a comment.
func plainCommand(job JobSpec) string {
	if job.Name == "" {
		return job.Command
	}
	return job.Command + " #name=" + job.Name
}

// checkJobs fails unless every job is complete, and no two have one name.
func checkJobs(t *testing.T, input *Inputfile) {
	t.Helper()
	names := map[string]bool{}
	for i, job := range input.Jobs {
		if job.Name != "" && (names[job.Name] || bridge.CheckJobName(job.Name) != nil) {
			t.Fatalf("job %d has the name %q", i, job.Name)
		}
		names[job.Name] = true
		if job.Launcher == "" || job.Command == "" || job.Size < 1 || job.Size > MaxProcesses || job.Line < 1 || strings.ContainsRune(job.Launcher+job.Command, 0) {
			t.Fatalf("job %d: %+v", i, job)
		}
	}
	if len(input.Jobs) == 0 {
		t.Fatal("no jobs and no error")
	}
}

func FuzzYAML(f *testing.F) {
	seed(f, "*yaml.txt", func(text string) { f.Add(text) })
	seed(f, "plan-macprun.txt", func(text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text string) {
		input, err := ParseYAML("file", []byte(text))
		if err != nil {
			var parse *ParseError
			if !errors.As(err, &parse) {
				t.Fatalf("%v: expected a ParseError", err)
			}
			return
		}
		checkJobs(t, input)
	})
}

func FuzzNodefile(f *testing.F) {
	seed(f, "*nodefiles.txt", func(text string) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text string) {
		hosts, err := ParseNodefile("file", []byte(text))
		if err != nil {
			checkParseError(t, err, text)
			return
		}
		for _, host := range hosts {
			if host == "" || host[0] == '-' || strings.ContainsAny(host, " \t\r\n'\"$;&|<>\x00") {
				t.Fatalf("host %q", host)
			}
		}
		again, err := ParseNodefile("file", []byte(strings.Join(hosts, "\n")))
		if err != nil || !slices.Equal(hosts, again) {
			t.Fatalf("%q became %q: %v", hosts, again, err)
		}
	})
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "10240": 10240, "8k": 8192, "8KB": 8192, "1m": 1 << 20, "2G": 2 << 30, "5b": 5, "-1k": -1024} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; expected %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "1.5k", "1kk", "1 k", "1t", "0x10", "9223372036854775808", "8589934592g"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("parseSize(%q) = %d; expected an error", text, got)
		}
	}
	for text, want := range map[string]time.Duration{"3": 3 * time.Second, "0.5": 500 * time.Millisecond, "1h30m": 90 * time.Minute} {
		if got, err := parseTimeout(text); err != nil || got != want {
			t.Errorf("parseTimeout(%q) = %v, %v; expected %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "0", "NaN", "Inf", "1e300"} {
		if got, err := parseTimeout(text); err == nil {
			t.Errorf("parseTimeout(%q) = %v; expected an error", text, got)
		}
	}
	if _, err := parseCount(strconv.Itoa(math.MaxInt)); err == nil {
		t.Error("parseCount accepts any number")
	}
}

func TestStallOption(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": NoStall, "0.0": NoStall, "90": 90 * time.Second, "5m": 5 * time.Minute} {
		if got, err := parseStall(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, expected %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "soon", "NaN"} {
		if got, err := parseStall(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	merged := Merge(Options{}, Options{Stall: time.Hour})
	if merged.Stall != time.Hour || Merge(Options{Stall: NoStall}, Options{Stall: time.Hour}).Stall != NoStall {
		t.Error("the command line does not win over the description")
	}
}

// otherHas reports whether a program has an option with a short name that is not the setting s.
func otherHas(p Program, s setting, name string) bool {
	return slices.ContainsFunc(settings(), func(x setting) bool {
		return x.programs&p != 0 && x.help != s.help && slices.Contains(x.short, name)
	})
}

// TestSpellings gives every option in every spelling to the program that has it, and compares with the first
// spelling.
func TestSpellings(t *testing.T) {
	values := map[kind]string{kindCount: "3", kindRank: "2", kindSize: "4k", kindDuration: "5s", kindText: "word", kindHosts: "a,b", kindNet: "udp", kindRDMA: "no", kindOnError: "report", kindStall: "7s",
		kindInterfaces: "eth0,10.0.0.0/8", kindPorts: "40000-40099", kindTarget: "12", kindGuests: "7", kindJoin: "network", kindRanks: "2,5-6"}
	for _, s := range settings() {
		for _, p := range []Program{Acprun, Macprun, Dmimw} {
			if s.programs&p == 0 {
				for _, name := range s.short {
					if otherHas(p, s, name) {
						continue
					}
					if _, err := ParseOptions(p, []string{"-" + name, values[s.kind], "prog"}); err == nil {
						t.Errorf("%v accepts -%s", p, name)
					}
				}
				continue
			}
			var first *Options
			check := func(words ...string) {
				t.Helper()
				switch { // an option that asks a run to change is for a command that starts no program
				case s.kind == kindRanks, s.name == "nodes":
					words = append([]string{"-to", "12"}, words...)
				case s.name == "job":
					words = append([]string{"-to", "12", "-np", "+1"}, words...)
				default:
					words = append(words, "prog")
				}
				opts, err := ParseOptions(p, words)
				if err != nil {
					t.Errorf("%v %v: %v", p, words, err)
					return
				}
				if first == nil {
					first = opts
				}
				if !reflect.DeepEqual(first, opts) {
					t.Errorf("%v %v: %+v; expected %+v", p, words, opts, first)
				}
			}
			for _, name := range s.short {
				if s.kind == kindFlag {
					check("-" + name)
				} else {
					check("-"+name, values[s.kind])
				}
			}
			for _, name := range s.long {
				if s.kind == kindFlag {
					check("--" + name)
				} else {
					check("--" + name + "=" + values[s.kind])
					check("--"+name, values[s.kind])
				}
			}
		}
	}
}
