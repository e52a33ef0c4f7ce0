package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/tabletest"
)

// The pages with tables of options.
const (
	page    = "../../../docs/launching.md"
	dmiPage = "../../../docs/dmi.md"
)

// dmiTable is the table of the options of dmimw.
func dmiTable() string {
	var b strings.Builder
	b.WriteString("| option | environment | meaning |\n| --- | --- | --- |\n")
	for _, s := range settings() {
		if s.programs&Dmimw == 0 {
			continue
		}
		env := ""
		if s.env != "" {
			env = "`" + s.env + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.Join(s.spellings(), "`, `"), env, s.help)
	}
	return b.String()
}

// optionsTable is the table of the options of acprun and macprun.
func optionsTable() string {
	var b strings.Builder
	b.WriteString("| option | programs | environment | YAML | meaning |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range settings() {
		if s.hidden || s.programs&bothPrograms == 0 {
			continue
		}
		programs := map[Program]string{bothPrograms: "both", Acprun: "acprun", Macprun: "macprun"}[s.programs&bothPrograms]
		code := func(text string) string {
			if text == "" {
				return ""
			}
			return "`" + text + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", strings.Join(s.spellings(), "`, `"), programs, code(s.env), code(s.yaml), s.help)
	}
	return b.String()
}

// TestPageShowsTheOptions compares the pages of the user guide with the launchers' table of settings.
func TestPageShowsTheOptions(t *testing.T) {
	shows(t, page, "<!-- options -->\n", "<!-- end of options -->\n", optionsTable())
	shows(t, dmiPage, "<!-- options of dmimw -->\n", "<!-- end of options of dmimw -->\n", dmiTable())
}

// shows compares a part of a page with what it is to be.
func shows(t *testing.T, page, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	table, after, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		t.Fatalf("%s has no place for the options", page)
	}
	if *tabletest.Update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("the options in %s are not those of the launchers; go test -update writes them", page)
	}
}

// TestDescriptions: the descriptions of runs on pages of the manual are read without an error.
func TestDescriptions(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(yaml|inputfile)\n(.*?)```\n")
	read := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range blocks.FindAllSubmatch(text, -1) {
			parse := ParseYAML
			if string(m[1]) == "inputfile" {
				parse = ParseInputfile
			}
			if _, err := parse(filepath.Base(page), m[2]); err != nil {
				t.Errorf("%v, in\n%s", err, m[2])
			}
			read++
		}
	}
	if read < 6 {
		t.Errorf("the manual has %d descriptions", read)
	}
}

// TestPageExamples reads the inputfile and the YAML description that the page
// shows: both describe the same jobs.
func TestPageExamples(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	block := func(begin string) []byte {
		t.Helper()
		_, rest, found := strings.Cut(string(text), begin)
		body, _, foundEnd := strings.Cut(rest, "```\n")
		if !found || !foundEnd {
			t.Fatalf("%s has no block that begins with %q", page, begin)
		}
		return []byte(body)
	}
	input, err := ParseInputfile("inputfile", block("```inputfile\n# number of jobs\n"))
	if err != nil {
		t.Fatal(err)
	}
	description, err := ParseYAML("jobs.yaml", block("```yaml\nnet: auto"))
	if err != nil {
		t.Fatal(err)
	}
	if len(input.Jobs) != 3 || len(description.Jobs) != 3 {
		t.Fatalf("%d and %d jobs; expected 3", len(input.Jobs), len(description.Jobs))
	}
	for j := range input.Jobs {
		a, b := input.Jobs[j], description.Jobs[j]
		if a.Launcher != b.Launcher || a.Size != b.Size || a.Command != b.Command {
			t.Errorf("job %d: %+v and %+v", j, a, b)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, p := range []Program{Acprun, Macprun, Dmimw} {
		var b bytes.Buffer
		if err := WriteHelp(&b, p, true); err != nil {
			t.Fatal(err)
		}
		for _, s := range settings() {
			for _, spelling := range s.spellings() {
				if shown := strings.Contains(b.String(), spelling); !shown && s.programs&p != 0 && !s.hidden {
					t.Errorf("%v -help-all does not show %s", p, spelling)
				}
			}
			if s.hidden && strings.Contains(b.String(), s.help) {
				t.Errorf("%v -help-all shows -%s", p, s.name)
			}
		}
	}
}

// TestShortHelp: -help is one screen, shows five options of the launcher, and says where the rest is.
func TestShortHelp(t *testing.T) {
	for p, want := range map[Program]string{
		Acprun:  "-host H1,H2,… -np N -stats -tag-output -timeout TIME",
		Macprun: "-nodefile FILE -stats -tag-output -timeout TIME -trace FILE",
		Dmimw:   "-f FILE -leave IDS -n N -pool SIZE -to RUN",
	} {
		var b bytes.Buffer
		if err := WriteHelp(&b, p, false); err != nil {
			t.Fatal(err)
		}
		lines, options := strings.Split(b.String(), "\n"), []string(nil)
		for _, line := range lines {
			if option, found := strings.CutPrefix(line, "  -"); found {
				options = append(options, "-"+option)
			}
			if n := len([]rune(line)); n > 100 {
				t.Errorf("%v -help has a line of %d characters: %s", p, n, line)
			}
		}
		slices.Sort(options)
		if got := strings.Join(options, " "); got != want {
			t.Errorf("%v -help shows %s, expected %s", p, got, want)
		}
		if rest := p.String() + " -help-all"; len(lines) > 30 || !strings.Contains(b.String(), rest) {
			t.Errorf("%v -help has %d lines, expected at most 30 with %q:\n%s", p, len(lines), rest, b.String())
		}
	}
}
