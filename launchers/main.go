// The program that make builds and installs as acprun, macprun, acpstat, acpweights and dmimw. It acts by the name of its file.
// The files are links to the same bytes, since each program would take almost as much room as all together.
//
// Folders acprun, macprun, acpstat and acpweights have the first four as programs of their own.
package main

import (
	"os"
	"path/filepath"

	"github.com/goacp/goacp/internal/launch"
	"github.com/goacp/goacp/weights/command"
)

// commands are the commands by their names.
var commands = map[string]func(launch.StdIO) int{
	"acprun":     launch.Acprun,
	"macprun":    launch.Macprun,
	"acpstat":    launch.Acpstat,
	"dmimw":      launch.Dmimw,
	"acpweights": func(std launch.StdIO) int { return command.Run(std.Args, std.Stdout, std.Stderr) },
}

func main() {
	file, err := os.Executable()
	if err != nil {
		file = "" // without /proc the name of the call is all there is
	}
	os.Exit(commands[commandNamed(file, os.Args[0])](launch.OS()))
}

// commandNamed returns the name of the command for a program in file that was called by a name, which may be
// a path. The file decides: launchers start themselves under other names, and users make links with other
// names. If the file has another name, the call decides. Any other program is acprun.
func commandNamed(file, called string) string {
	for _, path := range []string{file, called} {
		if name := filepath.Base(path); commands[name] != nil {
			return name
		}
	}
	return "acprun"
}
