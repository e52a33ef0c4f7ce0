package main

import (
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/wrappers/optiontext"
)

// formats are the pages of section 5, each of which is a section of a page in docs.
var formats = []struct{ name, about, file, heading, seeAlso string }{
	{"acp-inputfile", "jobs of a run, one line for each launcher, size and program", "launching.md", "## Inputfile", "acp-description"},
	{"acp-description", "description of a run in YAML", "launching.md", "## YAML", "acp-inputfile"},
	{"acp-nodefile", "hosts of a run", "launching.md", "## Hosts", "acp-description"},
	{"acp-links", "links between fields in the description of a run", "couple.md", "## Links of the description", "acp-weights"},
	{"acp-weights", "weights between the points of two grids, in the format Matrix Market", "couple.md", "### Weights in a file", "acp-links"},
}

// formatPages writes the pages of section 5.
func formatPages(root string, files map[string]string) error {
	for _, f := range formats {
		p := newPage(f.name, 5, []string{f.name}, f.about)
		p.heading("Description")
		if err := p.markdown(root, f.file, f.heading); err != nil {
			return err
		}
		p.heading("See also")
		p.paragraph(bold("macprun") + "(1), " + bold(f.seeAlso) + "(5), " + bold("acp_couple") + "(7)")
		p.add(files)
	}
	return nil
}

// variable is a variable of the environment and what it means.
type variable struct{ name, text string }

// otherVariables are those without an option of a launcher.
var otherVariables = []struct {
	title string
	list  []variable
}{
	{"Libraries", []variable{
		{envvar.PMIxLibrary, "file of libpmix, for processes that a launcher which speaks PMIx has started; by default the library that the loader finds."},
		{"ARMCI_ERRORS", "return: a wrong call of ARMCI returns a negative number and does not end the run."},
	}},
	{"Set by launchers", []variable{
		{envvar.Rendezvous, "addresses at which the processes of the run meet."},
		{envvar.TokenFile, "file with the token of the run, which only its user may read."},
		{envvar.Job, "number of the job, from 0."},
		{envvar.JobName, "name of the job."},
		{envvar.JobRank, "number of the process in its job; set by acprun."},
		{envvar.DMIOnHost, "the greatest number of processes on one host; set by dmimw."},
		{envvar.Report, "descriptor by which acprun reports to macprun."},
	}},
}

// environmentPage writes the page of the variables.
func environmentPage(_ string, files map[string]string) error {
	p := newPage("acp-environment", 7, []string{"acp-environment"}, "variables of the environment that GoACP reads and sets")
	p.heading("Description")
	p.paragraph(plain("Users set these variables for the launchers, for processes that no launcher of ACP has started, and for the wrapper compilers. " +
		"Options of the launchers win over variables. Sizes are in bytes, with the units k, m and g."))
	p.subheading("Launchers and libraries")
	seen := map[string]bool{}
	for _, program := range []config.Program{config.Acprun, config.Macprun, config.Dmimw} {
		for _, o := range config.OptionTexts(program) {
			if o.Env == "" || seen[o.Env] {
				continue
			}
			seen[o.Env] = true
			value := o.Value
			if value == "" {
				value = "yes"
			}
			p.item(bold(o.Env)+`=\fI`+literal(value)+`\fP`, plain("As option "+o.Spellings[0]+": "+o.Help+"."))
		}
	}
	for _, part := range otherVariables {
		p.subheading(part.title)
		for _, v := range part.list {
			p.item(bold(v.name), plain(strings.ToUpper(v.text[:1])+v.text[1:]))
		}
	}
	p.subheading("Wrapper compilers")
	for _, v := range optiontext.Variables {
		p.item(bold(v.Name), plain(v.Help+"."))
	}
	p.heading("See also")
	p.paragraph(bold("acprun") + "(1), " + bold("macprun") + "(1), " + bold("acpcc") + "(1), " + bold("acp") + "(7), " + bold("armci") + "(7)")
	p.add(files)
	return nil
}
