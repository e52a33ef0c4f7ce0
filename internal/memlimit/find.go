package memlimit

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Group is a control group that accounts for memory.
type Group struct {
	Dir     string // of its files, below the root of the file system, as package fs has it
	Unified bool   // version 2 of control groups
}

// Find returns the groups of a process that this process sees, its own before their
// ancestors. process is the name of a directory in /proc. fsys holds /proc and the
// mounts of control groups; os.DirFS("/") does. Without groups the result is empty.
func Find(fsys fs.FS, process string) []Group {
	memberships, err := fs.ReadFile(fsys, "proc/"+process+"/cgroup")
	if err != nil {
		return nil
	}
	mounts, err := fs.ReadFile(fsys, "proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var groups []Group
	for line := range strings.Lines(string(memberships)) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		unified := parts[0] == "0" && parts[1] == ""
		if unified || listed(parts[1], "memory") {
			groups = append(groups, chain(fsys, string(mounts), parts[2], unified)...)
		}
	}
	return groups
}

// chain returns the group that a hierarchy knows by name, and its ancestors.
func chain(fsys fs.FS, mounts, name string, unified bool) []Group {
	for line := range strings.Lines(mounts) {
		m, ok := parseMount(line)
		if !ok || m.unified != unified {
			continue
		}
		below, ok := m.below(name)
		if !ok {
			continue
		}
		if _, err := fs.Stat(fsys, path.Join(m.dir, below)); err != nil {
			continue
		}
		groups := []Group{{path.Join(m.dir, below), unified}}
		for below != "." && below != "" {
			below = path.Dir(below)
			dir := path.Join(m.dir, below)
			if !unified && content(fsys, dir+"/memory.use_hierarchy") == "0" {
				break // of version 1, such a group does not count what its children use
			}
			groups = append(groups, Group{dir, unified})
		}
		return groups
	}
	return nil
}

// mount is a mounted hierarchy that accounts for memory.
type mount struct {
	root    string // name of the group that is mounted
	dir     string // where, without the leading slash
	unified bool
}

// parseMount takes a line of mountinfo apart. It returns false if the line is about
// something else.
func parseMount(line string) (m mount, ok bool) {
	front, back, ok := strings.Cut(line, " - ")
	place, kind := strings.Fields(front), strings.Fields(back)
	if !ok || len(place) < 5 || len(kind) < 3 {
		return m, false
	}
	m = mount{root: unescape(place[3]), unified: kind[0] == "cgroup2"}
	m.dir = strings.TrimPrefix(path.Clean(unescape(place[4])), "/")
	return m, fs.ValidPath(m.dir) && (m.unified || kind[0] == "cgroup" && listed(kind[2], "memory"))
}

// below returns the path of a group from the mount point on, "" for the mounted group
// itself. It returns false if the mount does not show the group.
func (m *mount) below(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(m.root, "/"))
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	rest = strings.Trim(rest, "/")
	// A name relative to a namespace of groups leads upwards if the group lies outside.
	return rest, rest == "" || fs.ValidPath(rest)
}

// unescape undoes what the kernel does to spaces and the like in mountinfo.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace

// listed reports whether a list with commas has a word.
func listed(list, word string) bool { return slices.Contains(strings.Split(list, ","), word) }

// content returns a file without spaces around it, "" if it cannot be read.
func content(fsys fs.FS, name string) string {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
