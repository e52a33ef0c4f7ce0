package control

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/internal/launch/usersocket"
	"golang.org/x/sys/unix"
)

// RunDirs is where the private directories of runs are.
type RunDirs struct {
	Directories []string // such as /dev/shm
	Prefix      string   // of their names; the process id of the launcher and a dash follow
}

// Dial connects to the launcher of a run of this user on this host; "" means the only one there is. The error gives the
// reason why the run cannot be reached.
func Dial(dirs RunDirs, run string) (net.Conn, error) {
	paths, err := dirs.find(run)
	if err != nil {
		return nil, err
	}
	var conns []net.Conn
	var names []string
	for _, path := range paths {
		conn, err := net.Dial("unix", path)
		switch {
		case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT):
			// The launcher has ended, or was killed and has left its directory.
		case err != nil:
			return nil, err
		default:
			conns, names = append(conns, conn), append(names, dirs.nameOf(path))
		}
	}
	switch len(conns) {
	case 0:
		return nil, fmt.Errorf("the launcher of run %s has ended", dirs.nameOf(paths[0]))
	case 1:
		return conns[0], nil
	}
	for _, conn := range conns {
		conn.Close()
	}
	return nil, fmt.Errorf("several runs of this user take guests on this host: %s; name one of them", strings.Join(names, ", "))
}

// find returns the control sockets of a run, at least one; "" means any run.
func (d RunDirs) find(run string) ([]string, error) {
	prefix := d.Prefix
	if run != "" {
		prefix += run + "-"
	}
	paths := usersocket.Find(d.Directories, prefix, SocketName)
	switch {
	case len(paths) > 0:
		return paths, nil
	case run == "":
		return nil, errors.New("no run of this user takes guests on this host")
	case len(usersocket.Find(d.Directories, prefix, survey.SocketName)) > 0:
		return nil, fmt.Errorf("run %s takes no guests", run)
	case d.foreign(prefix):
		return nil, fmt.Errorf("run %s belongs to another user", run)
	}
	return nil, fmt.Errorf("there is no run %s on this host; acpstat lists the runs of this user", run)
}

// foreign reports whether another user has a directory that begins with prefix.
func (d RunDirs) foreign(prefix string) bool {
	for _, dir := range d.Directories {
		runs, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
		for _, run := range runs {
			var st unix.Stat_t
			if unix.Lstat(run, &st) == nil && int(st.Uid) != os.Geteuid() {
				return true
			}
		}
	}
	return false
}

// nameOf returns the name of the run that serves a socket.
func (d RunDirs) nameOf(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(filepath.Dir(path)), d.Prefix), "-")
	return name
}
