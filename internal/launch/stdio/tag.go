package stdio

import (
	"strconv"
)

// RankTag returns a tag for line forwarders that writes a rank before each line.
func RankTag(rank int) func([]byte) (string, []byte) {
	prefix := "[" + strconv.Itoa(rank) + "] "
	return func(line []byte) (string, []byte) { return prefix, line }
}
