package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ParseNodefile parses a nodefile: one host name per line. Empty lines and lines that begin
// with # are skipped. Rank i runs on host i modulo the number of hosts. Errors are of type
// *ParseError and name the line.
//
// It does not block. Safe for concurrent use. Spec 3.3.
func ParseNodefile(file string, text []byte) ([]string, error) {
	var hosts []string
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		name := strings.TrimSpace(line)
		if name == "" || name[0] == '#' {
			continue
		}
		if err := CheckHost(name); err != nil {
			return nil, &ParseError{File: file, Line: number, Err: err}
		}
		hosts = append(hosts, name)
	}
	if len(hosts) == 0 {
		return nil, &ParseError{File: file, Err: errors.New("no host in the nodefile; expected one host name per line")}
	}
	return hosts, nil
}

// parseHosts parses the value of -host: host names separated by commas.
func parseHosts(list string) ([]string, error) {
	hosts := strings.Split(list, ",")
	for i, name := range hosts {
		hosts[i] = strings.TrimSpace(name)
		if err := CheckHost(hosts[i]); err != nil {
			return nil, err
		}
	}
	return hosts, nil
}

// hostCount matches a host with a number of processes, as in the machine files of Open MPI
// (slots=N), MPICH (:N) and other launchers (N).
var hostCount = regexp.MustCompile(`^([^\s:]+)(?::([1-9][0-9]*)|\s+(?:(?:slots|max[-_]slots|cpu)\s*=\s*)?([1-9][0-9]*))(?:\s.*)?$`)

// cutCount splits a host with a number of processes into its name and the number.
func cutCount(name string) (host, count string, counted bool) {
	m := hostCount.FindStringSubmatch(name)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2] + m[3], true
}

// CheckHost returns an error if name cannot be a host name. Host names are arguments of remote
// shells and lines of machine files, where a leading dash or a blank would have another
// meaning.
func CheckHost(name string) error {
	if name == "" {
		return errors.New("empty host name; expected names separated by single commas")
	}
	if host, count, counted := cutCount(name); counted {
		return fmt.Errorf("%q is not a host name: hosts have no counts here; name %s %s times instead, once for each rank", name, host, count)
	}
	if strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%q is not a host name; expected one name per line, without counts or options", name)
	}
	if name[0] == '-' {
		return fmt.Errorf("%q is not a host name: it begins with a dash", name)
	}
	for _, r := range name {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`"'$&();<>|\*?#,=[]`+"`", r) {
			return fmt.Errorf("%q is not a host name: it holds %q", name, r)
		}
	}
	return nil
}
