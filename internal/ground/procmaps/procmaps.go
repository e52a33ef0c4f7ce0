// Package procmaps finds the files that are mapped into a process, in the text of /proc/PID/maps.
package procmaps

import (
	"strconv"
	"strings"
)

// Mapping is a part of a file in the memory of a process.
type Mapping struct {
	Start, End uint64 // addresses in the process
	Offset     uint64 // of Start in the file
	Path       string
}

// FindCode returns the mapping of a file with code that has an address. maps is the text of /proc/PID/maps. ok is
// false if there is none, or if the code is in no file. Does not block.
func FindCode(maps string, address uint64) (m Mapping, ok bool) {
	for line := range strings.Lines(maps) {
		// start-end rwxp offset device inode path, which may have blanks.
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
		if len(fields) < 6 || !strings.Contains(fields[1], "x") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		offset, err3 := strconv.ParseUint(fields[2], 16, 64)
		if err1 != nil || err2 != nil || err3 != nil || address < start || address >= end {
			continue
		}
		path := strings.TrimLeft(fields[5], " ")
		return Mapping{start, end, offset, path}, strings.HasPrefix(path, "/")
	}
	return Mapping{}, false
}
