package launch

import (
	"os"

	_ "github.com/goacp/goacp/internal/launch/addressspace" // begins before main
)

// StdIO is the arguments, environment and standard files of a launcher.
type StdIO struct {
	Args                  []string // without the program's name
	Environ               []string
	Stdin, Stdout, Stderr *os.File
}

// OS returns the arguments, the environment and the standard files of this process.
func OS() StdIO {
	return StdIO{Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
}
