package source

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/ground/procmaps"
)

// Finder finds lines and caches them. It is not safe for concurrent use.
type Finder struct {
	proc  string // such as /proc
	known map[codeAddress]string
	open  map[identity]*image // until Rest
}

// identity distinguishes a file from other files, and from a later file with the same name.
type identity struct {
	device, inode uint64
	size          int64
	changed       int64 // nanoseconds of Unix time
}

// codeAddress is an address in a file, as in the symbols of the file.
type codeAddress struct {
	file    identity
	address uint64
}

// maxKnown is how many addresses a Finder keeps.
const maxKnown = 10_000

// NewFinder returns a Finder for the processes in proc, such as /proc.
func NewFinder(proc string) *Finder {
	return &Finder{proc: proc, known: map[codeAddress]string{}, open: map[identity]*image{}}
}

// Line returns the file and line of the call that returns to an address in a process, such as "ocean.c:70".
// If the line is not known, it returns the function and how many bytes behind its beginning the address is,
// such as "exchange+0x2f". It returns "" if neither is known. A file that has changed since the time began is
// not the file of the process. Line may read large files.
func (f *Finder) Line(pid int, address uint64, began time.Time) string {
	dir := filepath.Join(f.proc, strconv.Itoa(pid))
	maps, err := os.ReadFile(filepath.Join(dir, "maps"))
	if err != nil {
		return ""
	}
	m, ok := procmaps.FindCode(string(maps), address)
	if !ok || ofLibrary(m.Path) {
		return ""
	}
	path := filepath.Join(dir, "root", m.Path)
	if target, err := os.Readlink(filepath.Join(dir, "exe")); err == nil && target == m.Path {
		path, began = filepath.Join(dir, "exe"), time.Time{} // the file of the process itself, even if its name was given to another file
	}
	return f.lineIn(path, address-m.Start+m.Offset, began)
}

// LineIn is Line for a process that may have ended: the address to which the call returns is at an offset of the
// file path.
func (f *Finder) LineIn(path string, offset uint64, began time.Time) string {
	if ofLibrary(path) {
		return ""
	}
	return f.lineIn(path, offset, began)
}

func (f *Finder) lineIn(path string, offset uint64, began time.Time) string {
	img, id, err := f.image(path, began)
	if err != nil {
		return ""
	}
	at, ok := img.addressOf(offset)
	if !ok {
		return ""
	}
	key := codeAddress{id, at}
	text, known := f.known[key]
	if !known {
		text = img.line(at)
		if len(f.known) >= maxKnown {
			clear(f.known)
		}
		f.known[key] = text
	}
	return text
}

// Rest frees the memory that Line needs while it finds several lines.
func (f *Finder) Rest() {
	for id, img := range f.open {
		_ = img.from.Close()
		delete(f.open, id)
	}
}

// image returns the file path, and fails if the file has changed since began, unless began is zero.
func (f *Finder) image(path string, began time.Time) (*image, identity, error) {
	file, id, err := openFile(path)
	if err != nil {
		return nil, id, err
	}
	if !began.IsZero() && id.changed > began.UnixNano() {
		_ = file.Close()
		return nil, id, os.ErrNotExist
	}
	if img := f.open[id]; img != nil {
		return img, id, file.Close()
	}
	img, err := newImage(file)
	if err != nil {
		_ = file.Close()
		return nil, id, err
	}
	f.open[id] = img
	return img, id, nil
}

// openFile opens a regular file.
func openFile(path string) (*os.File, identity, error) {
	// The name may mean another file than that of the process, even one whose opening waits.
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, identity{}, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(int(file.Fd()), &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = os.ErrInvalid
	}
	if err != nil {
		_ = file.Close()
		return nil, identity{}, err
	}
	return file, identity{device: st.Dev, inode: st.Ino, size: st.Size, changed: st.Mtim.Nano()}, nil
}

// ofLibrary reports whether a file is a library of GoACP.
func ofLibrary(path string) bool {
	name, _, isShared := strings.Cut(filepath.Base(path), ".so")
	return isShared && slices.Contains([]string{"libacp", "libmacp", "libarmci", "libgp", "libdmi"}, name)
}
