package control

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/internal/launch/usersocket"
)

// RunDirs is where the private directories of runs are.
type RunDirs struct {
	Directories []string // such as /dev/shm
	Prefix      string   // of their names; the process id of the launcher and a dash follow
}

// Dial connects to the launcher of a run of this user on this host; "" means the only one there is. The error says why the run cannot be reached.
func Dial(dirs RunDirs, run string) (net.Conn, error) {
	path, err := dirs.find(run)
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("unix", path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return nil, fmt.Errorf("the launcher of run %s has ended", dirs.nameOf(path))
	}
	return conn, err
}

// find returns the control socket of a run; "" means the only one there is.
func (d RunDirs) find(run string) (string, error) {
	prefix := d.Prefix
	if run != "" {
		prefix += run + "-"
	}
	paths := usersocket.Find(d.Directories, prefix, SocketName)
	switch {
	case len(paths) == 1:
		return paths[0], nil
	case len(paths) > 1:
		var names []string
		for _, path := range paths {
			names = append(names, d.nameOf(path))
		}
		return "", fmt.Errorf("several runs of this user take guests on this host: %s; name one of them", strings.Join(names, ", "))
	case run == "":
		return "", errors.New("no run of this user takes guests on this host")
	case len(usersocket.Find(d.Directories, prefix, survey.SocketName)) > 0:
		return "", fmt.Errorf("run %s takes no guests", run)
	case d.foreign(prefix):
		return "", fmt.Errorf("run %s belongs to another user", run)
	}
	return "", fmt.Errorf("there is no run %s on this host; acpstat lists the runs of this user", run)
}

// foreign reports whether there is a directory that begins with prefix. The caller has found none of this user.
func (d RunDirs) foreign(prefix string) bool {
	for _, dir := range d.Directories {
		if runs, _ := filepath.Glob(filepath.Join(dir, prefix+"*")); len(runs) > 0 {
			return true
		}
	}
	return false
}

// nameOf returns the name of the run that serves a socket.
func (d RunDirs) nameOf(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(filepath.Dir(path)), d.Prefix), "-")
	return name
}
