package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/weights/command"
)

var (
	settingRow  = regexp.MustCompile(`\{name: "([a-z-]+)", short: \[\]string\{([^}]*)\}(?:, long: \[\]string\{([^}]*)\})?`)
	quotedWord  = regexp.MustCompile(`"([^"]+)"`)
	optionWord  = regexp.MustCompile(`^--?[a-z][a-z0-9:_-]*$`)
	longWord    = regexp.MustCompile(`--[a-z][a-z-]*`)
	sourceWord  = regexp.MustCompile(`(?m)(?:^ *|") *(--?[a-z][a-z0-9:-]*)`) // in the help text, or in quotes
	definesFlag = regexp.MustCompile(`\bflag\.[A-Z][a-z0-9]*\("([a-z]+)"`)
)

// settingNames returns the names of the settings of the launchers, and how each is spelled.
func settingNames(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, m := range settingRow.FindAllStringSubmatch(read(t, "internal/launch/config/setting.go"), -1) {
		for _, word := range quotedWord.FindAllStringSubmatch(m[2], -1) {
			all[m[1]] = append(all[m[1]], "-"+word[1])
		}
		for _, word := range quotedWord.FindAllStringSubmatch(m[3], -1) {
			all[m[1]] = append(all[m[1]], "--"+word[1])
		}
	}
	if len(all) < 20 {
		t.Fatalf("found %d settings in setting.go", len(all))
	}
	return all
}

// launcherOptions returns every option of acprun and macprun.
func launcherOptions(t *testing.T) map[string]bool {
	t.Helper()
	set := map[string]bool{"-proxy": true, "-cleaner": true} // first words for the launchers themselves
	for _, spellings := range settingNames(t) {
		for _, s := range spellings {
			set[s] = true
		}
	}
	return set
}

// otherOptions returns the options of the other programs of the source: of the wrapper
// compilers, of acpweights, of dmimw, of configure, of tests and of test programs.
func otherOptions(t *testing.T) map[string]bool {
	t.Helper()
	set := map[string]bool{}
	for _, word := range longWord.FindAllString(read(t, "configure"), -1) {
		set[word] = true
	}
	for _, o := range command.Options() {
		for _, spelling := range o.Spellings {
			set[spelling] = true
		}
	}
	for _, o := range config.OptionTexts(config.Dmimw) {
		for _, spelling := range o.Spellings {
			set[spelling] = true
		}
	}
	for name := range sourceFiles(t) {
		if filepath.Ext(name) != ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "wrappers/") || name == "lib/acp/arguments.go" {
			for _, m := range sourceWord.FindAllStringSubmatch(string(text), -1) {
				set[m[1]] = true
				set["-"+m[1]] = true // every -showme may be written with two dashes
			}
		}
		for _, m := range definesFlag.FindAllStringSubmatch(string(text), -1) {
			set["-"+m[1]] = true
		}
	}
	return set
}

// foreign are options of programs that are not of the source, and examples of options.
var foreign = map[string]string{
	"-race": "go test", "-run": "go test", "-bench": "go test", "-tags": "go test", "-fuzz": "go test",
	"-fuzztime": "go test", "-count": "go test", "-short": "go test", "-v": "go test",
	"--oversubscribe": "mpirun", "--dvm": "mpirun", "--ompi-server": "mpirun", "--mca": "mpirun", "-x": "mpirun",
	"-iface": "Hydra", "-localhost": "Hydra", "--with-device": "configure of MPICH", "--enable-thread-safety": "configure of Global Arrays",
	"-shared": "C compiler", "-l": "C compiler", "-g": "C compiler", "-fno-backtrace": "gfortran", "-ffpe-trap": "gfortran", "-fPIC": "C compiler",
	"--acp-": "example", "--acp-x": "example",
}

// TestOptionsExist: every option that a page names in backquotes is one of a program.
func TestOptionsExist(t *testing.T) {
	launcher, other := launcherOptions(t), otherOptions(t)
	for _, p := range pages(t) {
		for _, words := range code(p.prose()) {
			fields := strings.Fields(words)
			if len(fields) == 0 {
				continue
			}
			option, _, _ := strings.Cut(fields[0], "=")
			if !optionWord.MatchString(option) {
				continue
			}
			if _, ok := foreign[option]; !ok && !launcher[option] && !other[option] {
				t.Errorf("%s names option %s, which no program has", p.name, option)
			}
		}
	}
}

// TestLauncherCommands: the options of acprun and macprun in commands that a page shows exist.
func TestLauncherCommands(t *testing.T) {
	launcher := launcherOptions(t)
	command := regexp.MustCompile("(?m)(?:^|[ `])m?acprun((?: +-[^ \n`]+(?: +[^- \n`][^ \n`]*)?)+)")
	for _, p := range pages(t) {
		for _, m := range command.FindAllStringSubmatch(p.text, -1) {
			for _, word := range strings.Fields(m[1]) {
				option, _, _ := strings.Cut(word, "=")
				if optionWord.MatchString(option) && !launcher[option] {
					t.Errorf("%s shows a launcher with option %s, which it does not have", p.name, option)
				}
			}
		}
	}
}
