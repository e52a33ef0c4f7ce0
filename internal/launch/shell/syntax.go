package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
)

// withoutSyntax matches commands that consist of plain words.
var withoutSyntax = lazyregexp.New(`^[A-Za-z0-9_@%+=:,./ \t-]*$`)

// CheckSyntax returns an error if a command is not complete in the syntax of the shell, for example because a
// quote is not closed. The error has the shell's message. Unless all words are plain, CheckSyntax starts a
// shell that only checks the syntax, and waits for its end.
func CheckSyntax(command string) error {
	if withoutSyntax.Get().MatchString(command) {
		return nil
	}
	// The command is no argument: it may begin with a dash.
	check := exec.Command("/bin/sh", "-n")
	check.Stdin = strings.NewReader(command + "\n")
	var words bytes.Buffer
	check.Stderr = &words
	var failed *exec.ExitError
	err := check.Run()
	if !errors.As(err, &failed) {
		return err
	}
	first, _, _ := strings.Cut(words.String(), "\n")
	return fmt.Errorf("/bin/sh does not understand %q: %s", command, placeOfShell.Get().ReplaceAllString(first, ""))
}

// placeOfShell matches what shells write before a message: their name, and the number of a line.
var placeOfShell = lazyregexp.New(`^\S*sh: (?:line )?[0-9]+: `)
