package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
)

// ParseNodefile parses a nodefile: one host per line, with a number of places if it has more than one,
// as in machine files of Open MPI (`pc01 slots=4`) and MPICH (`pc01:4`). Empty lines and lines that
// begin with # are skipped, and so is a byte order mark. It returns the host of each place. Rank i runs on place i modulo the number
// of places. Errors are of type *ParseError and name the line.
//
// It does not block. Safe for concurrent use. Spec 3.3.
func ParseNodefile(file string, text []byte) ([]string, error) {
	var hosts []string
	number := 0
	for line := range strings.Lines(string(bytes.TrimPrefix(text, []byte(byteOrderMark)))) {
		number++
		entry := strings.TrimSpace(line)
		if entry == "" || entry[0] == '#' {
			continue
		}
		var err error
		if hosts, err = addPlaces(hosts, entry); err != nil {
			return nil, &ParseError{File: file, Line: number, Err: err}
		}
	}
	if len(hosts) == 0 {
		return nil, &ParseError{File: file, Err: errors.New("no host in the nodefile; expected one host name per line")}
	}
	return hosts, nil
}

// parseHosts parses the value of -host: hosts separated by commas, each with a number of places if it has
// more than one. It returns the host of each place.
func parseHosts(list string) (hosts []string, err error) {
	for _, entry := range strings.Split(list, ",") {
		if hosts, err = addPlaces(hosts, strings.TrimSpace(entry)); err != nil {
			return nil, err
		}
	}
	return hosts, nil
}

// hostWithCount matches a host with a number of places, as in the machine files of Open MPI
// (slots=N), MPICH (:N) and other launchers (cpu=N and N). Open MPI may add max_slots, which bounds the
// number of processes that it starts beyond slots.
var hostWithCount = lazyregexp.New(`^([^\s:]+)(?::([0-9]+)|\s+(?:slots|cpu)\s*=\s*([0-9]+)|\s+([1-9][0-9]*))(?:\s+max[-_]slots\s*=\s*[0-9]+)?$`)

// addPlaces adds the places of an entry of a nodefile or of -host.
func addPlaces(hosts []string, entry string) ([]string, error) {
	name, count := entry, 1
	if m := hostWithCount.Get().FindStringSubmatch(entry); m != nil {
		var err error
		if count, err = parseCount(m[2] + m[3] + m[4]); err != nil {
			return nil, fmt.Errorf("places of host %s: %w", m[1], err)
		}
		name = m[1]
	}
	if err := CheckHost(name); err != nil {
		return nil, err
	}
	if count > MaxProcesses-len(hosts) {
		return nil, fmt.Errorf("the hosts up to %s have more places than the %d processes that a run can hold", name, MaxProcesses)
	}
	for range count {
		hosts = append(hosts, name)
	}
	return hosts, nil
}

// CheckHost returns an error if name cannot be a host name. Host names are arguments of remote
// shells and lines of machine files, where a leading dash or a blank would have another
// meaning. Characters that are not printable would make lines of the launchers hard to understand.
func CheckHost(name string) error {
	if name == "" {
		return errors.New("empty host name; expected names separated by single commas")
	}
	// A name with several colons is an address.
	if strings.ContainsAny(name, " \t") || strings.Count(name, ":") == 1 {
		return fmt.Errorf("%q is not a host; expected a name alone, NAME slots=N or NAME:N", name)
	}
	if name[0] == '-' {
		return fmt.Errorf("%q is not a host name: it begins with a dash", name)
	}
	for _, r := range name {
		if r == utf8.RuneError || !unicode.IsPrint(r) || strings.ContainsRune(`"'$&();<>|\*?#,=[]`+"`", r) {
			return fmt.Errorf("%q is not a host name: it holds %q", name, r)
		}
	}
	return nil
}
