package plan

import (
	"strconv"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// programs are the programs of a command that has several, with a size for each:
// -np 2 ./ocean : -np 2 ./air.
type programs struct {
	size  int       // processes of all
	parts []program // the parts of the command
}

// program is the part of a command for one program.
type program struct {
	text string // as it is written
	word string // the program
	size int
}

// Program is one of several programs that a launcher starts. Its processes are a job of their own.
type Program struct {
	Name string // of that job
	Size int
}

// programsOf returns the programs of a command that begins with an option of its launcher. ok is
// false for any other command. The size of a program stands directly before it.
func programsOf(command string) (p programs, ok bool) {
	if !strings.HasPrefix(command, "-") {
		return p, false
	}
	sized := false
	part := program{}
	begin := 0
	for rest := command + " :"; rest != ""; {
		at := len(command) + len(" :") - len(rest)
		var word string
		word, rest = shell.CutWord(rest)
		switch n, err := strconv.Atoi(word); {
		case word == ":":
			part.text = strings.TrimSpace((command + " :")[begin:at])
			p.parts = append(p.parts, part)
			p.size += part.size
			sized, part, begin = false, program{}, len(command)+len(" :")-len(rest)
		case part.word != "": // an argument of the program
		case word == "-np" || word == "-n":
			sized, part.size = true, 0
		case sized && part.size == 0 && err == nil && n > 0:
			part.size = n
		case sized && part.size > 0:
			part.word, sized = word, false
		}
	}
	return p, true
}

// MachineFiles returns the content of each file that names hosts for the launcher of the job, by path.
func (j *Job) MachineFiles() map[string]string {
	if j.MachineFile == "" {
		return nil
	}
	files := map[string]string{j.MachineFile: j.MachineText}
	lines := strings.SplitAfter(j.MachineText, "\n")
	if !j.ProgramFiles {
		return files
	}
	for number, p := range j.Programs {
		files[j.programFile(number)] = strings.Join(lines[:p.Size], "")
		lines = lines[p.Size:]
	}
	return files
}

// programFile returns the path of the machine file of one program of the job.
func (j *Job) programFile(number int) string { return j.MachineFile + "." + strconv.Itoa(number) }

// programList returns the programs of a command that has several, nil for any other.
func programList(command string) []Program {
	p, _ := programsOf(command)
	if len(p.parts) < 2 {
		return nil
	}
	var list []Program
	for _, part := range p.parts {
		list = append(list, Program{Name: bridge.JobNameOf(part.word), Size: part.size})
	}
	return list
}

// namePrograms numbers the names of programs that other jobs of the run have as well. The processes number
// them in the same way when they join the run.
func (p *Plan) namePrograms() {
	wanted := make(map[string]int) // how many jobs would have a name
	var all []*Program
	for j := range p.Jobs {
		if p.Jobs[j].Programs == nil {
			wanted[p.Jobs[j].Name]++
		}
		for k := range p.Jobs[j].Programs {
			all = append(all, &p.Jobs[j].Programs[k])
			wanted[p.Jobs[j].Programs[k].Name]++
		}
	}
	last := make(map[string]int) // the last number behind a name
	for _, program := range all {
		base := program.Name
		if wanted[base] == 1 {
			continue
		}
		for program.Name == base || wanted[program.Name] > 0 {
			last[base]++
			program.Name = bridge.NumberedJobName(base, last[base])
		}
		wanted[program.Name]++
	}
}

// programsWithFiles returns the programs of a command, each with its machine file.
func (j *Job) programsWithFiles(p programs) string {
	var parts []string
	for number, part := range p.parts {
		parts = append(parts, "-machinefile "+shell.Quote(j.programFile(number))+" "+part.text)
	}
	return strings.Join(parts, " : ")
}

// checkPrograms returns an error unless each program of a command has a size, and the sizes add up to that
// of the job.
func checkPrograms(file string, spec config.JobSpec) error {
	p, several := programsOf(spec.Command)
	if !several {
		return nil
	}
	for i, part := range p.parts {
		if part.word == "" && len(p.parts) > 1 {
			return config.Errorf(file, spec.NameLine, "part %d of the command, %q, has no program with a size; expected -np N before each program", i+1, part.text)
		}
	}
	if p.size != spec.Size {
		return config.Errorf(file, spec.NameLine, "the programs of the command have %d processes, but the size of the job is %d; expected -np N before each program, and the sum as the size", p.size, spec.Size)
	}
	return nil
}
