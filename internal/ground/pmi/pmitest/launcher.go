// Package pmitest is a launcher with PMI for processes that are parts of one test.
package pmitest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Launcher serves the processes of one job.
type Launcher struct {
	// Answer, if it is not nil, may replace an answer.
	Answer func(rank int, request, answer string) string

	size    int
	mu      sync.Mutex
	values  map[string]string
	waiting []net.Conn // in the barrier
	aborted []string
}

// New returns the launcher of a job of size processes.
func New(size int) *Launcher { return &Launcher{size: size, values: map[string]string{}} }

// Connect returns the environment of a process, and serves it until the test ends or Close.
func (l *Launcher) Connect(t *testing.T, rank int) (getenv func(string) string) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fds[1]), "launcher")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go l.serve(rank, conn)
	vars := map[string]string{"PMI_FD": strconv.Itoa(fds[0]), "PMI_RANK": strconv.Itoa(rank), "PMI_SIZE": strconv.Itoa(l.size)}
	return func(name string) string { return vars[name] }
}

// Aborted returns the requests to end the job.
func (l *Launcher) Aborted() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.aborted
}

// serve answers the requests of a process.
func (l *Launcher) serve(rank int, conn net.Conn) {
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		answer := l.take(lines.Text(), conn)
		if l.Answer != nil {
			answer = l.Answer(rank, lines.Text(), answer)
		}
		if answer != "" {
			fmt.Fprintln(conn, answer)
		}
	}
}

// take carries out a request and returns its answer, or "" if the answer comes later.
func (l *Launcher) take(request string, conn net.Conn) (answer string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	words := map[string]string{}
	for _, word := range strings.Fields(request) {
		key, value, _ := strings.Cut(word, "=")
		words[key] = value
	}
	switch words["cmd"] {
	case "init":
		return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
	case "get_maxes":
		return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024"
	case "get_my_kvsname":
		return "cmd=my_kvsname kvsname=job"
	case "put":
		l.values[words["key"]] = words["value"]
		return "cmd=put_result rc=0 msg=success"
	case "get":
		if value, found := l.values[words["key"]]; found {
			return "cmd=get_result rc=0 msg=success value=" + value
		}
		return "cmd=get_result rc=-1 msg=not_found value=unknown"
	case "barrier_in":
		if l.waiting = append(l.waiting, conn); len(l.waiting) == l.size {
			for _, c := range l.waiting {
				fmt.Fprintln(c, "cmd=barrier_out rc=0")
			}
			l.waiting = nil
		}
	case "finalize":
		return "cmd=finalize_ack rc=0"
	case "abort":
		l.aborted = append(l.aborted, request)
	}
	return ""
}
