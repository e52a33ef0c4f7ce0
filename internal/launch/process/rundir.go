package process

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// MemoryDir is where Linux has files in memory.
const MemoryDir = "/dev/shm"

// RunDirPrefix begins the name of every private directory of a run. The process id of the
// launcher follows.
const RunDirPrefix = "goacp-"

// roomOfRun is how many bytes must be free where the private directory of a run is made. The files of the
// launcher, and the small files of an MPI, need less.
const roomOfRun = 1 << 20

// runDirPlaces returns where private directories of runs are made. Memory comes first, because
// MPI puts the files of its shared memory into the directory.
func runDirPlaces() []string {
	if temp := os.TempDir(); temp != MemoryDir {
		return []string{MemoryDir, temp}
	}
	return []string{MemoryDir}
}

// newRunDirName returns a name for the private directory of a run of this process.
func newRunDirName() string {
	random := make([]byte, randomOfName/2)
	// Read never fails.
	_, _ = rand.Read(random)
	return fmt.Sprintf("%s%d-%s", RunDirPrefix, os.Getpid(), hex.EncodeToString(random))
}

// randomOfName is the number of random digits in the name of a private directory.
const randomOfName = 16

// MakeRunDir makes the private directory of a run, with mode 0700, and makes this process its owner. The
// token of the run is in the directory. It is where there is room, in memory if possible. MakeRunDir calls
// refused with each place that it does not use, and the reason. The error names all of them.
func (c *Children) MakeRunDir(refused func(place string, err error)) (string, error) {
	var failures []string
	for _, place := range runDirPlaces() {
		dir := filepath.Join(place, newRunDirName())
		err := c.makeRunDir(dir)
		if err == nil {
			return dir, nil
		}
		refused(place, PathCause(err))
		failures = append(failures, fmt.Sprintf("%s: %v", place, PathCause(err)))
	}
	return "", fmt.Errorf("no private directory for the run: %s", strings.Join(failures, "; "))
}

// makeRunDir makes the directory dir for a run. If it fails, it leaves nothing.
func (c *Children) makeRunDir(dir string) error {
	// The cleaner gets the name before the directory exists. So the directory is removed even if this process
	// is killed.
	c.cleaner.removeAtEnd(dir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := c.OwnRunDir(dir); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err := checkRoom(dir); err != nil {
		return errors.Join(err, c.RemoveRunDir())
	}
	c.SetRunDir(dir)
	return nil
}

// OwnRunDir makes this process the owner of a private directory that exists: the owner removes it, or
// the owner's cleaner. If another process is removing the directory, OwnRunDir waits for the end of
// that and fails.
func (c *Children) OwnRunDir(dir string) error {
	lock, err := lockRunDir(dir, unix.LOCK_SH)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err != nil {
		lock.Close()
		return err
	}
	c.cleaner.removeAtEnd(dir)
	c.ownDir, c.dirLock = dir, lock
	return nil
}

// RemoveRunDir removes the private directory that this process owns, if there is one.
func (c *Children) RemoveRunDir() error {
	err := removeRunDir(c.ownDir)
	c.dirLock.Close()
	return err
}

// lockRunDir locks the private directory of a run, as flock does. The owner and its cleaner have shared
// locks, which end with them. So a process that gets the exclusive lock knows that both have ended. The
// lock is nil if the file system has no locks. Processes that this one starts do not inherit it.
func lockRunDir(dir string, how int) (lock *os.File, err error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, err
	}
	return nil, nil
}

// checkRoom returns an error if dir does not have enough room for a run.
func checkRoom(dir string) error {
	f, err := os.OpenFile(dir, os.O_WRONLY|unix.O_TMPFILE, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var limit unix.Rlimit // of the size of a file
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	err = unix.Fallocate(int(f.Fd()), 0, 0, int64(min(roomOfRun, max(limit.Cur, 1))))
	if errors.Is(err, unix.EOPNOTSUPP) {
		return nil
	}
	return err
}

// IsRunDir reports whether a path can be that of the private directory of a run.
func IsRunDir(path string) bool {
	return filepath.IsAbs(path) && path == filepath.Clean(path) && strings.HasPrefix(filepath.Base(path), RunDirPrefix)
}

// removeRunDir removes the private directory of a run. It fails for any other path.
func removeRunDir(dir string) error {
	if !IsRunDir(dir) {
		return nil
	}
	return os.RemoveAll(dir)
}
