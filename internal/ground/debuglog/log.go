package debuglog

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Config selects the layers and the file of the log.
type Config struct {
	Layers string // names with commas between; "" = none
	// File is the path of the file of each process: %r in it becomes its name. If there is no %r, a dot and the
	// name follow it. "": standard error.
	File string
	Name string // of this process; "" = its host and process id until Rank is called
}

// log is that of this process.
var log logger

// logger writes lines.
type logger struct {
	mu     sync.Mutex
	to     io.Writer // nil = standard error
	file   *os.File  // nil = none
	path   string    // of file
	config Config    // that of the last Start
	name   string
	ranks  map[int]bool // that this process has been
}

// Start begins the log of c in place of the log of an earlier call. If both are the same, the log continues,
// because each rank of a process calls Start. It fails if a layer is unknown, or if the file cannot be
// written; then there is no log. Safe for concurrent use.
func Start(c Config) error {
	on, err := parse(c.Layers)
	if err != nil {
		return err
	}
	if on != 0 && log.writes(c) {
		return nil
	}
	enabled.Store(0)
	if err := log.open(c, on != 0); err != nil {
		return err
	}
	enabled.Store(uint32(on))
	return nil
}

// Rank records that this process is a rank of a run, with its number at the start. The name of its file
// becomes that number. Safe for concurrent use.
func Rank(rank int) {
	if enabled.Load() != 0 {
		log.rank(rank)
	}
}

// writes reports whether the log is on with the configuration c.
func (l *logger) writes(c Config) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return enabled.Load() != 0 && l.config == c
}

// open opens the file if the log is on and has a file.
func (l *logger) open(c Config, on bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close() // each line has been written
	}
	l.to, l.file, l.ranks = nil, nil, nil
	l.config, l.name = c, c.Name
	if l.name == "" {
		l.name = anonymous()
	}
	if !on || c.File == "" {
		return nil
	}
	l.path = l.pathFor(l.name)
	fd, err := unix.Open(l.path, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_APPEND|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o666)
	if err != nil {
		return fmt.Errorf("the log cannot be written to %s: %w", l.path, err)
	}
	l.file = os.NewFile(uintptr(fd), l.path)
	l.to = l.file
	return nil
}

// anonymous returns the name of a process that has no other.
func anonymous() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return host + ":" + strconv.Itoa(os.Getpid())
}

// pathFor returns the path of the file of a process with this name.
func (l *logger) pathFor(name string) string {
	name = strings.NewReplacer(" ", "-", "/", "-").Replace(name)
	if strings.Contains(l.config.File, "%r") {
		return strings.ReplaceAll(l.config.File, "%r", name)
	}
	return l.config.File + "." + name
}

// rank records a rank of this process. A process may have several ranks, which share a file; then lines do
// not name the rank.
func (l *logger) rank(rank int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ranks[rank] {
		return
	}
	if l.ranks != nil {
		l.ranks[rank] = true
		l.name = anonymous()
		return
	}
	l.ranks = map[int]bool{rank: true}
	l.name = fmt.Sprintf("rank %d", rank)
	if l.file == nil {
		return
	}
	path := l.pathFor(strconv.Itoa(rank))
	if err := os.Rename(l.path, path); err != nil {
		l.write("log", fmt.Sprintf("this file keeps its name: %v", err))
		return
	}
	l.path = path
}

// print writes a line.
func (l *logger) print(layer Layer, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(layer.String(), text)
}

// write writes a line. The caller holds mu.
func (l *logger) write(part, text string) {
	to := l.to
	if to == nil {
		to = os.Stderr
	}
	line := fmt.Sprintf("%s %s: %s: %s\n", time.Now().Format("15:04:05.000000"), l.name, part, oneLine(text))
	_, _ = io.WriteString(to, line) // a log that cannot be written must not end the run
}

// oneLine returns text without ends of lines, which errors with several causes contain.
func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }
