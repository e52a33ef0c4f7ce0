package harness

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Install configures a copy of the source tree for a prefix, with options of configure, and installs the build tree
// there. The test fails if make install changes either tree.
func (s *Suite) Install(p *Sandbox, prefix string, options ...string) {
	p.t.Helper()
	tree := s.ConfiguredCopy(p, prefix, options...)
	before := map[string]string{}
	p.describe(tree, before)
	p.describe(s.build, before)
	// The build tree may be older than the sources, as while someone changes them.
	p.Must("/bin/sh", "-c", `cd "$0" && make --no-print-directory -o built install`, tree)
	after := map[string]string{}
	p.describe(tree, after)
	p.describe(s.build, after)
	if !maps.Equal(before, after) {
		for name, was := range before {
			if after[name] != was {
				p.t.Errorf("make install has changed %s: %s, then %s", name, was, after[name])
			}
		}
		p.t.Errorf("make install has changed the tree: %d files, then %d", len(before), len(after))
	}
	if err := os.RemoveAll(tree); err != nil {
		p.t.Fatal(err)
	}
}

// describe adds the sizes and times of all files in a folder, without the folder check of the build tree, where make check writes.
func (p *Sandbox) describe(folder string, files map[string]string) {
	p.t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(p.suite.build, "check") {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err == nil {
			files[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// ConfiguredCopy returns a copy of the files of the source tree that make install needs, configured for a prefix with
// options of configure. Its build tree has the results of the build tree of the suite.
func (s *Suite) ConfiguredCopy(p *Sandbox, prefix string, options ...string) string {
	p.t.Helper()
	tree := filepath.Join(p.Dir, "tree")
	// The files that configure needs. The test must not change the build tree itself.
	copied := []string{"configure", "build-aux", "Makefile", "go.mod", "go.sum", "wrappers", "python"}
	if err := os.MkdirAll(filepath.Join(tree, "build"), 0o755); err != nil {
		p.t.Fatal(err)
	}
	for _, name := range copied {
		p.Must("/bin/cp", "-a", s.Source(name), tree)
	}
	for _, name := range []string{"bin", "lib", "include", "armci", "fortran"} {
		if err := os.Symlink(filepath.Join(s.build, name), filepath.Join(tree, "build", name)); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(tree, "build", "share"), 0o755); err != nil {
		p.t.Fatal(err)
	}
	for _, name := range []string{"man", "bash-completion", "zsh", "fish"} {
		p.Must("/bin/cp", "-a", filepath.Join(s.build, "share", name), filepath.Join(tree, "build", "share"))
	}
	var given []string
	for _, m := range s.mpis {
		given = append(given, m.Given)
	}
	with := "--without-mpi"
	if given != nil {
		with = "--with-mpi=" + strings.Join(given, ",")
	}
	fortran := "--with-fortran"
	if !s.fortran {
		fortran = "--without-fortran"
	}
	p.UseGoCaches()
	p.Must(append([]string{"/bin/sh", "-c", `cd "$0" && ./configure "$@"`, tree, "--prefix=" + prefix, with, fortran}, options...)...)
	return tree
}

// UseGoCaches lets commands use the caches of the go command, which it looks for below HOME.
func (p *Sandbox) UseGoCaches() {
	p.t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			p.t.Fatal(err)
		}
		p.Env = append(p.Env, name+"="+strings.TrimSpace(string(value)))
	}
}
