package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// FilesOfLauncher is how many files a launcher needs before it starts a process.
const FilesOfLauncher = 18

// CheckOpenFiles returns an error if this process may not open n more files. The first call must come
// before the first file that the runtime of Go waits for: the runtime ends the process if it
// cannot open the file that it needs for that. Does not block.
func CheckOpenFiles(n int) error {
	opened := make([]int, 0, n)
	defer func() {
		for _, fd := range opened {
			unix.Close(fd)
		}
	}()
	for len(opened) < n {
		fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("the launcher may open %d more files and needs %d or more: %w", len(opened), n, err)
		}
		opened = append(opened, fd)
	}
	return nil
}
