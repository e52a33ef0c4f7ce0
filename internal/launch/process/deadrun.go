package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
	"golang.org/x/sys/unix"
)

// RemoveDeadRuns removes the private directories on this host of runs of this user whose launcher and
// cleaner were both killed, and ends the processes of these runs that are left. It calls removed with
// the path of each, and with an error if a part of it stays. Without such processes it does not
// block. With them it blocks no longer than five seconds for each run.
func RemoveDeadRuns(removed func(dir string, err error)) {
	for _, place := range runDirPlaces() {
		if !lockedHere(place) {
			continue
		}
		for _, dir := range runDirsIn(place) {
			lock, err := lockRunDir(dir, unix.LOCK_EX|unix.LOCK_NB)
			if err != nil || lock == nil {
				continue
			}
			if !mayBegin(lock) {
				scope := &Scope{proc: HostProc, sessions: map[int][]Identity{}, dir: dir}
				removed(dir, scope.clearRun(dir))
			}
			lock.Close()
		}
	}
}

// mayBegin reports whether a directory that is not locked may be that of a run which begins: its launcher
// has made it and not locked it yet. Then it is empty and new.
func mayBegin(dir *os.File) bool {
	if _, err := dir.Readdirnames(1); err == nil {
		return false
	}
	info, err := dir.Stat()
	return err != nil || time.Since(info.ModTime()) < lockingLimit
}

// lockingLimit is how long a launcher may take to lock the directory that it has made.
const lockingLimit = time.Minute

// runDirName matches names that newRunDirName returns. Earlier releases of this program do not lock
// their directories; they have fewer random digits.
var runDirName = lazyregexp.New(fmt.Sprintf(`^%s[0-9]+-[0-9a-f]{%d}$`, RunDirPrefix, randomOfName))

// runDirsIn lists the private directories of runs of this user in a directory.
func runDirsIn(place string) []string {
	f, err := os.Open(place)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, name := range names {
		if !runDirName.Get().MatchString(name) {
			continue
		}
		dir := filepath.Join(place, name)
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && info.IsDir() && int(owner.Uid) == os.Geteuid() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// ofOneHost are the file systems that processes of one host use alone.
var ofOneHost = []int64{
	unix.TMPFS_MAGIC, unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
}

// lockedHere reports whether all processes that may lock a file in a directory run on this host. Other
// hosts may not see the locks of a network file system.
func lockedHere(place string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(place, &fs) == nil && slices.Contains(ofOneHost, int64(fs.Type))
}
