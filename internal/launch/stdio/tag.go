package stdio

import (
	"strconv"
)

// RankTag returns a tag for line forwarders that writes a rank and the name of its job before each
// line. Without a name it writes the rank alone.
func RankTag(rank int, job string) func([]byte) (string, []byte) {
	prefix := RankPrefix(rank, job)
	return func(line []byte) (string, []byte) { return prefix, line }
}

// RankPrefix returns the tag of the output of a rank: [3 ocean] and a blank, or [3] and a blank if the job
// has no name.
func RankPrefix(rank int, job string) string {
	if job == "" {
		return "[" + strconv.Itoa(rank) + "] "
	}
	return "[" + strconv.Itoa(rank) + " " + job + "] "
}
