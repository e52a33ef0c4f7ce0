package main

import (
	"regexp"
	"strings"

	"github.com/goacp/goacp/internal/launch"
	"github.com/goacp/goacp/internal/launch/config"
	weightscommand "github.com/goacp/goacp/weights/command"
	"github.com/goacp/goacp/wrappers/optiontext"
)

// option is an option of a command for its page and its completion.
type option struct {
	spellings []string // with dashes
	value     string   // the name of the value; "" if there is none
	equals    bool     // the value stands only behind an equals sign
	choices   []string
	list      bool // several of choices, with commas between
	file      bool
	help      string
	env       string
}

// command is a command of GoACP.
type command struct {
	name     string
	names    []string // further names of the same command
	about    string
	synopsis []string
	options  []option
	program  bool // its first argument that is no option is a program, with arguments of its own
	write    func(p *page, root string) error
	seeAlso  []string
}

// commands returns all commands.
func commands() []command {
	launchers := []string{"acp(7)", "acp-environment(7)", "acp-inputfile(5)", "acp-description(5)", "acp-nodefile(5)", "acpstat(1)"}
	list := []command{
		{
			name: "acprun", about: "starts the processes of an ACP program", synopsis: []string{"acprun [options] program [arguments]"},
			options: launcherOptions(config.Acprun), program: true, seeAlso: append([]string{"macprun(1)"}, launchers...), write: writeLauncher,
		},
		{
			name: "macprun", about: "starts several jobs as one run with one ACP rank space", synopsis: []string{"macprun [options] [inputfile | description.yaml]"},
			options: launcherOptions(config.Macprun), seeAlso: append([]string{"acprun(1)"}, launchers...), write: writeLauncher,
		},
		{
			name: "dmimw", about: "starts the processes of a program with DMI", synopsis: []string{"dmimw [options] program [arguments]"},
			options: launcherOptions(config.Dmimw), program: true, seeAlso: []string{"dmi(7)", "dmicc(1)", "acprun(1)", "acp-nodefile(5)", "acp-environment(7)"}, write: writeLauncher,
		},
		{
			name: "acpstat", about: "prints the states of the ranks of a run", synopsis: []string{"acpstat [options] [RUN]"},
			options: acpstatOptions(), seeAlso: []string{"acprun(1)", "macprun(1)", "acp(7)"}, write: writeAcpstat,
		},
	}
	list = append(list, command{
		name: "acpweights", about: "makes weights for coupling between two grids", synopsis: []string{"acpweights [options] FROM TO OUTPUT"},
		options: acpweightsOptions(), seeAlso: []string{"acp(7)", "acp-description(5)"}, write: writeAcpweights,
	})
	for _, w := range []struct {
		name, others, about string
		mpi, isGo           bool
	}{
		{"acpcc", "acpgcc acpc++ acpcxx acpg++ acpgxx acpCC", "compiles and links ACP programs in C and C++", false, false},
		{"macpcc", "macpgcc macpc++ macpcxx macpg++ macpgxx macpCC", "compiles and links programs of MPI and ACP in C and C++", true, false},
		{"acpfc", "", "compiles and links ACP programs in Fortran", false, false},
		{"macpfc", "", "compiles and links programs of MPI and ACP in Fortran", true, false},
		{"acpgo", "", "runs the go command for ACP programs", false, true},
		{"macpgo", "", "runs the go command for programs of MPI and ACP", true, true},
		{"dmicc", "dmic++ dmicxx", "compiles and links programs with DMI in C and C++", false, false},
		{"dmigo", "", "runs the go command for programs with DMI", false, true},
	} {
		names := strings.Fields(w.others)
		synopsis := []string{w.name + " [option ...] file ..."}
		if w.isGo {
			synopsis = []string{w.name + " [option ...] [build | run | test | ...] [argument ...]"}
		}
		list = append(list, command{
			name: w.name, names: names, about: w.about, synopsis: synopsis, options: wrapperOptions(w.mpi, w.isGo),
			write: writeWrapper, seeAlso: []string{"acp(7)", "armci(7)", "gp(7)", "dmi(7)", "acprun(1)"},
		})
	}
	return list
}

func launcherOptions(p config.Program) []option {
	var list []option
	for _, o := range config.OptionTexts(p) {
		list = append(list, option{spellings: o.Spellings, value: o.Value, choices: o.Choices, list: o.List, file: o.File, help: o.Help, env: o.Env})
	}
	return list
}

func wrapperOptions(mpi, isGo bool) []option {
	var list []option
	for _, o := range optiontext.For(mpi, isGo) {
		list = append(list, option{spellings: o.Spellings, value: o.Value, equals: o.Joined, choices: o.Choices, help: o.Help})
	}
	return list
}

var acpstatOption = regexp.MustCompile(`(?m)^  (-.*)\n +(.*)$`)

// acpstatOptions reads the help of acpstat.
func acpstatOptions() []option {
	var list []option
	for _, m := range acpstatOption.FindAllStringSubmatch(launch.AcpstatHelp(), -1) {
		list = append(list, option{spellings: strings.Split(m[1], ", "), help: m[2]})
	}
	return list
}

// acpweightsOptions returns the options of acpweights.
func acpweightsOptions() []option {
	var list []option
	for _, o := range weightscommand.Options() {
		list = append(list, option{spellings: o.Spellings, value: o.Value, choices: o.Choices, help: o.Help})
	}
	return list
}

// commandPages writes the pages of section 1.
func commandPages(root string, files map[string]string) error {
	for _, c := range commands() {
		names := append([]string{c.name}, c.names...)
		p := newPage(c.name, 1, names, c.about)
		p.heading("Synopsis")
		p.verbatim(c.synopsis)
		p.heading("Description")
		if err := c.write(p, root); err != nil {
			return err
		}
		p.heading("See also")
		var seeAlso []string
		for _, s := range c.seeAlso {
			name, section, _ := strings.Cut(s, "(")
			seeAlso = append(seeAlso, bold(name)+"("+section)
		}
		p.paragraph(strings.Join(seeAlso, ", "))
		p.add(files)
		for _, name := range c.names {
			addLink(files, name, c.name, 1)
		}
	}
	return nil
}

// writeOptions writes the section with the options of a command.
func (p *page) writeOptions() {
	p.heading("Options")
	for _, c := range commands() {
		if c.name != p.name {
			continue
		}
		for _, o := range c.options {
			p.item(o.term(), plain(o.meaning()))
		}
	}
}

// term returns all spellings of an option with its value.
func (o option) term() string {
	var terms []string
	for _, s := range o.spellings {
		term := bold(s)
		switch {
		case o.value == "":
		case o.equals || strings.HasPrefix(s, "--"):
			term += `=\fI` + literal(o.value) + `\fP`
		default:
			term += ` \fI` + literal(o.value) + `\fP`
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, ", ")
}

func (o option) meaning() string {
	text := strings.ToUpper(o.help[:1]) + o.help[1:]
	if o.env != "" {
		text += " (environment: " + o.env + ")"
	}
	return text + "."
}

// writeLauncher writes the pages of the launchers.
func writeLauncher(p *page, root string) error {
	switch p.name {
	case "acprun":
		p.paragraph(plain("acprun starts the processes of one ACP program, on this host or on several, and waits for their end. " +
			"The program is the first word that is neither an option nor the value of one. It gets all words after it, unchanged. " +
			"A program cannot have options of its own that begin with --acp-."))
	case "dmimw":
		p.paragraph(plain("dmimw starts the processes of one program with DMI, on this host or on several, and waits for their end. " +
			"Process 0, which runs DMI_main, is on the host of the first line of the node file. " +
			"The program is the first word that is neither an option nor the value of one. It gets all words after it, unchanged."))
	default:
		p.paragraph(plain("macprun starts several jobs, each with its own launcher (acprun, or the mpirun of any MPI), as one run with one ACP rank space. " +
			"A file whose name ends in .yaml or .yml is a description in YAML; any other file is an inputfile. " +
			"Without a file, or with -, macprun reads an inputfile from standard input. It ignores words after the file."))
	}
	p.paragraph(plain("Options stand before the program or the inputfile, in any order. A value is the next word, or follows an equals sign after " +
		"spellings with two dashes."))
	p.writeOptions()
	for _, s := range []struct{ title, heading string }{
		{"Input, output and signals", "## Output, input, signals"},
		{"Exit status", "## How a run ends"},
		{"Batch systems", "## In an allocation of a batch system"},
	} {
		p.heading(s.title)
		if err := p.markdown(root, "launching.md", s.heading); err != nil {
			return err
		}
	}
	p.heading("Examples")
	switch p.name {
	case "acprun":
		p.verbatim([]string{"acprun -np 4 ./solver input.dat", "acprun -np 8 -host pc01:4,pc02:4 ./solver input.dat"})
	case "dmimw":
		p.verbatim([]string{"dmimw -n 2 ./matmat_dmi 2 2 512", "dmimw -f node.txt -n 8 -pool 8g ./a.out 8 4 4096"})
	default:
		p.verbatim([]string{"macprun -np 6 inputfile", "macprun -stats jobs.yaml"})
	}
	return nil
}

func writeAcpstat(p *page, root string) error {
	p.paragraph(plain("acpstat prints the state of each rank of a run, and the rank for which it waits. RUN is the process id of acprun or macprun. " +
		"Without RUN acpstat lists the runs of this user on this host."))
	p.writeOptions()
	for _, s := range []struct{ title, heading string }{
		{"Output", "## The program acpstat"}, {"States", "## What ranks do"}, {"JSON", "## JSON"},
	} {
		p.heading(s.title)
		if err := p.markdown(root, "debugging.md", s.heading); err != nil {
			return err
		}
	}
	return nil
}

func writeAcpweights(p *page, root string) error {
	p.paragraph(plain("acpweights makes the weights of a link from a field on one grid to a field on another grid. FROM and TO are netCDF files with " +
		"the grids. OUTPUT is written in the Matrix Market format if its name ends in .mtx, and otherwise as a netCDF file."))
	p.writeOptions()
	for _, s := range []struct{ title, heading string }{{"Grids", "## Grids"}, {"Methods", "## Methods"}, {"Exit status", "## Exit status"}} {
		p.heading(s.title)
		if err := p.markdown(root, "weights.md", s.heading); err != nil {
			return err
		}
	}
	return nil
}

func writeWrapper(p *page, root string) error {
	p.paragraph(plain("The wrapper compilers run a compiler with the flags of the ACP library. A wrapper passes all arguments that are not its own to the " +
		"compiler unchanged. The compiler replaces the wrapper, so exit status and signals are those of the compiler. A wrapper adds " +
		"libraries only if the compiler links."))
	p.writeOptions()
	p.paragraph(plain("Each option may also begin with two dashes."))
	p.heading("Environment")
	for _, v := range optiontext.Variables {
		p.item(bold(v.Name), plain(v.Help+"."))
	}
	for _, part := range []string{"Names", "Static and shared libraries"} {
		p.heading(part)
		if err := p.markdown(root, "install.md", "### "+part); err != nil {
			return err
		}
	}
	return nil
}
