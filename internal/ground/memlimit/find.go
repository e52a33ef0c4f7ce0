package memlimit

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Group is a control group that accounts for memory.
type Group struct {
	Dir     string // of its files, relative to the root of the file system, as in package fs
	Unified bool   // version 2 of control groups
}

// Find returns the groups of a process that this process sees, each before its ancestors.
// process is the name of a directory in /proc. fsys must have /proc and the mounts of control
// groups, as os.DirFS("/") has. The result may be empty.
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

// chain returns the group that a hierarchy calls name, and its ancestors.
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
				break // in version 1 such a group does not count what its children use
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

// parseMount parses a line of mountinfo. It returns false if the line is about another kind of
// file system.
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

// below returns the path of a group from the mount point on, or "" for the mounted group
// itself. It returns false if the mount does not show the group.
func (m *mount) below(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(m.root, "/"))
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	rest = strings.Trim(rest, "/")
	// If the group lies outside of a namespace of groups, its name leads upwards.
	return rest, rest == "" || fs.ValidPath(rest)
}

// unescape replaces what the kernel writes for spaces and the like in mountinfo.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace

// listed reports whether a list with commas contains a word.
func listed(list, word string) bool { return slices.Contains(strings.Split(list, ","), word) }

// content returns a file without the spaces around it. It returns "" if the file cannot be
// read.
func content(fsys fs.FS, name string) string {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
