package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Install configures a copy of the source tree for a prefix and installs the build tree there.
func (s *Suite) Install(b *Sandbox, prefix string) {
	b.t.Helper()
	tree := filepath.Join(b.Dir, "tree")
	// The files that configure needs. The test must not change the build tree itself.
	copied := []string{"configure", "build-aux", "Makefile", "go.mod", "go.sum", "wrappers"}
	if err := os.MkdirAll(filepath.Join(tree, "build"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	for _, name := range copied {
		b.Must("/bin/cp", "-r", s.Source(name), tree)
	}
	for _, name := range []string{"bin", "lib", "include", "armci", "fortran"} {
		if err := os.Symlink(filepath.Join(s.build, name), filepath.Join(tree, "build", name)); err != nil {
			b.t.Fatal(err)
		}
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
	b.UseGoCaches()
	b.Must("/bin/sh", "-c", `cd "$0" && ./configure --prefix="$1" "$2" "$3" && make --no-print-directory -o all install`, tree, prefix, with, fortran)
	if err := os.RemoveAll(tree); err != nil {
		b.t.Fatal(err)
	}
}

// UseGoCaches lets commands use the caches of the go command, which it looks for below HOME.
func (b *Sandbox) UseGoCaches() {
	b.t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			b.t.Fatal(err)
		}
		b.Env = append(b.Env, name+"="+strings.TrimSpace(string(value)))
	}
}
