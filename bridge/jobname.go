package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// MaxJobName is the greatest length of the name of a job, in bytes.
const MaxJobName = 63

// CheckJobName returns an error if no job can have the name. The error says what was expected. Pure.
func CheckJobName(name string) error {
	if name == "" || len(name) > MaxJobName || strings.ContainsFunc(name, notInJobName) {
		return fmt.Errorf("%.100q is not the name of a job; expected 1 to %d letters, digits and characters of . _ + -", name, MaxJobName)
	}
	return nil
}

// notInJobName reports whether names of jobs have no such character. They go into messages, tags
// and variables of the environment.
func notInJobName(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("._+-", r)
}

// JobNameOf returns the name of a job that was given none and runs a program: the base name of the program.
// Characters that are not allowed in names become _, and the end of a long name is cut off. Pure.
func JobNameOf(program string) string {
	if program == "" {
		return "job"
	}
	name := strings.Map(func(r rune) rune {
		if notInJobName(r) {
			return '_'
		}
		return r
	}, filepath.Base(program))
	return name[:min(len(name), MaxJobName)]
}

// ownJobName returns the name of the job of this process if no launcher of this library has given
// it one.
func ownJobName() string {
	if len(os.Args) == 0 {
		return JobNameOf("")
	}
	return JobNameOf(os.Args[0])
}

// JobText returns how messages name a job: job 1 ocean. name may be empty. Pure.
func JobText(number int, name string) string {
	if name == "" {
		return fmt.Sprintf("job %d", number)
	}
	return fmt.Sprintf("job %d %s", number, name)
}
