package config

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/goacp/goacp/bridge"
)

// valueInComment returns the value that the comment of a line gives to a key such as name=. given is false if
// the comment does not begin with the key. Text that follows the value after a blank is a comment.
func valueInComment(comment, key string) (value string, given bool) {
	value, given = strings.CutPrefix(strings.TrimSpace(comment), key)
	if end := strings.IndexFunc(value, unicode.IsSpace); end >= 0 {
		value = value[:end]
	}
	return value, given
}

// jobName returns the name that a description gives to a job, if a job can have it.
func jobName(name string, job int) (string, error) {
	if err := bridge.CheckJobName(name); err != nil {
		return "", fmt.Errorf("name of job %d: %w", job, err)
	}
	return name, nil
}

// checkDifferentNames returns an error if a description gives one name to two jobs.
func checkDifferentNames(input *Inputfile) error {
	first := make(map[string]int)
	for j, job := range input.Jobs {
		if job.Name == "" {
			continue
		}
		if i, taken := first[job.Name]; taken {
			return Errorf(input.File, job.NameLine, "jobs %d and %d both have the name %s; expected different names", i, j, job.Name)
		}
		first[job.Name] = j
	}
	return nil
}
