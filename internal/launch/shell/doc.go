// Package shell parses the syntax of POSIX shells as far as the launchers need it. It quotes
// words and splits commands into words. It also finds the launcher in a runtime line, which
// is the shell command that starts the launcher of a job. All functions are pure, except CheckSyntax, which
// asks the shell.
package shell
