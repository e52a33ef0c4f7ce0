package tests

import (
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// installedLimit is how many bytes all installed files have at most, with two MPIs.
const installedLimit = 90 << 20

// TestInstalledFiles: what is installed is small, and has nothing for debuggers in it. With --enable-debug-files that is in
// files beside the programs and libraries.
func TestInstalledFiles(t *testing.T) {
	suite.C(t, "allgather")                                        // skips if the tree is not built
	links := []string{"macprun", "acpstat", "acpweights", "dmimw"} // to the file of acprun
	for _, c := range []struct {
		name, option string
		debug        bool
	}{
		{"stripped", "--disable-debug-files", false},
		{"debug files", "--enable-debug-files", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			prefix := filepath.Join(sandbox.Dir, "prefix")
			// As debian/rules has them.
			suite.Install(sandbox, prefix, c.option, "--libdir="+filepath.Join(prefix, "lib", "any"), "--pythondir="+filepath.Join(prefix, "lib/python3/dist-packages"))
			if !c.debug {
				testPackages(t, prefix)
			}
			var bytes int64
			programs := map[string]bool{}
			err := filepath.WalkDir(prefix, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				info, err := entry.Info()
				if err != nil {
					return err
				}
				file, err := elf.Open(path)
				if err != nil { // no program, no library
					bytes += info.Size()
					return nil
				}
				defer file.Close()
				name, isDebug := strings.CutSuffix(filepath.Base(path), ".debug")
				if has := file.Section(".debug_info") != nil || file.Section(".zdebug_info") != nil; has != isDebug {
					t.Errorf("%s: has sections for debuggers: %v", path, has)
				}
				if link := file.Section(".gnu_debuglink") != nil; link != (c.debug && !isDebug) {
					t.Errorf("%s: names a file for debuggers: %v", path, link)
				}
				isLink := slices.Contains(links, name)
				if _, err := os.Stat(path + ".debug"); !isDebug && (err == nil) != c.debug && !isLink {
					t.Errorf("%s: the file for debuggers: %v", path, err)
				}
				if !isLink {
					bytes += info.Size()
				}
				programs[name] = true
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			first, _ := os.Stat(filepath.Join(prefix, "bin", "acprun"))
			for _, name := range append([]string{"acprun"}, links...) {
				other, err := os.Stat(filepath.Join(prefix, "bin", name))
				if !programs[name] || err != nil || !os.SameFile(first, other) {
					t.Errorf("%s is not another link to acprun: %v", name, err)
				}
			}
			if !c.debug && bytes > installedLimit {
				t.Errorf("%d bytes are installed, expected at most %d", bytes, installedLimit)
			}
			if out := sandbox.Must(filepath.Join(prefix, "bin", "macprun"), "-version"); !strings.HasPrefix(out, "macprun ") {
				t.Errorf("macprun prints %q", out)
			}
		})
	}
}

// testPackages checks that each installed file is in one package of Debian.
func testPackages(t *testing.T, prefix string) {
	t.Helper()
	lists := map[string][]string{}
	paths, err := filepath.Glob(suite.Source("debian", "*.install"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, suite.Source("debian", "not-installed")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lists[strings.TrimSuffix(filepath.Base(path), ".install")] = strings.Fields(strings.ReplaceAll(string(text), "[!", "[^"))
	}
	if len(lists) < 10 {
		t.Errorf("debian has %d lists of files", len(lists))
	}
	err = filepath.WalkDir(prefix, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file = "usr" + strings.Replace(strings.TrimPrefix(file, prefix), "/zsh/site-functions/", "/zsh/vendor-completions/", 1)
		if filepath.Base(file) == "libarmcipart.a" { // debian/rules puts it into libarmci.a
			return nil
		}
		var in []string
		for list, patterns := range lists {
			if slices.ContainsFunc(patterns, func(pattern string) bool { return contains(t, pattern, file) }) {
				in = append(in, list)
			}
		}
		if len(in) != 1 {
			t.Errorf("%s is in the packages %q, expected one", file, in)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// contains reports whether a pattern of a list of files is that of a file or of a folder that it is in.
func contains(t *testing.T, pattern, file string) bool {
	t.Helper()
	for ; file != "."; file = filepath.Dir(file) {
		match, err := filepath.Match(pattern, file)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		if match {
			return true
		}
	}
	return false
}

// TestBuilt: make install builds if a source or the configuration is newer than the build, and never as root. make -n only
// prints what it would build.
func TestBuilt(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	prefix := filepath.Join(sandbox.Dir, "prefix")
	tree := suite.ConfiguredCopy(sandbox, prefix)
	install := func() (status int, output string) {
		r := sandbox.Run("", "/bin/sh", "-c", `cd "$0" && make -n install 2>&1`, tree)
		return r.Status, r.Stdout
	}
	wanted := func(why string) {
		t.Helper()
		status, out := install()
		if root := os.Geteuid() == 0; root != (status != 0) || !strings.Contains(out, why) ||
			root && !strings.Contains(out, "run make first") || !root && !strings.Contains(out, "go build ") {
			t.Errorf("status %d, expected %q:\n%s", status, why, out)
		}
	}
	touch := func(name string, at time.Time) {
		t.Helper()
		if err := os.Chtimes(filepath.Join(tree, name), at, at); err != nil {
			t.Fatal(err)
		}
	}

	wanted("not all is built")
	sandbox.Must("/bin/sh", "-c", `cd "$0" && make --no-print-directory -o commands -o wrappers -o header -o fortran -o libacp -o libmacp -o libacphook -o manual all`, tree)
	if status, out := install(); status != 0 || strings.Contains(out, "go build ") || !strings.Contains(out, "install ") {
		t.Errorf("all is built, but make install: status %d\n%s", status, out)
	}
	touch("wrappers/main.go", time.Now().Add(time.Hour))
	wanted("wrappers/main.go is newer")
	touch("wrappers/main.go", time.Now().Add(-time.Hour))
	sandbox.Must("/bin/sh", "-c", `cd "$0" && sed -i 's/^CC = .*/CC = another/' config.mk`, tree)
	wanted("not that of config.mk")
	touch("configure", time.Now().Add(time.Hour))
	if os.Geteuid() == 0 {
		wanted("not that of this configure")
	}
}

// TestSameInAnyFolder: the libraries do not depend on the folder in which they are built.
func TestSameInAnyFolder(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	sandbox.UseGoCaches()
	var built []map[string]string
	for _, name := range []string{"one", "another/folder"} {
		tree := filepath.Join(sandbox.Dir, name)
		if err := os.MkdirAll(tree, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{
			"Makefile", "configure", "config.mk", "build-aux", "go.mod", "go.sum",
			"acp", "armci", "bridge", "couple", "gp", "internal", "lib", "mpi", "weights",
		} {
			sandbox.Must("/bin/cp", "-a", suite.Source(folder), tree)
		}
		sandbox.Must("/bin/sh", "-c", `cd "$0" && make --no-print-directory libacp libacphook`, tree)
		sums := map[string]string{}
		for line := range strings.Lines(sandbox.Must("/bin/sh", "-c", `cd "$0" && find build -type f -exec sha256sum {} +`, tree)) {
			sum, file, _ := strings.Cut(strings.TrimSpace(line), " ")
			sums[file] = sum
		}
		built = append(built, sums)
		if err := os.RemoveAll(tree); err != nil {
			t.Fatal(err)
		}
	}
	if len(built[0]) < 8 || len(built[1]) != len(built[0]) {
		t.Errorf("%d files, then %d", len(built[0]), len(built[1]))
	}
	for file, sum := range built[0] {
		if built[1][file] != sum {
			t.Errorf("%s depends on the folder", strings.TrimSpace(file))
		}
	}
}

// TestUninstall: make uninstall removes all that make install has put there, and no file of another package in the same
// folders.
func TestUninstall(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	prefix := filepath.Join(sandbox.Dir, "prefix")
	tree := suite.ConfiguredCopy(sandbox, prefix)
	install := `cd "$0" && make --no-print-directory -o built `
	sandbox.Must("/bin/sh", "-c", install+"install", tree)
	var others []string
	for _, folder := range []string{"bin", "include", "lib/openmpi/include", "lib/mpich", "lib/pkgconfig", "lib/python3/site-packages", "share/man/man3"} {
		other := filepath.Join(prefix, folder, "other.h")
		if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(other, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		others = append(others, other)
	}
	sandbox.Must("/bin/sh", "-c", install+"uninstall", tree)
	var left []string
	err := filepath.WalkDir(prefix, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, path)
		}
		return err
	})
	slices.Sort(others)
	if err != nil || !slices.Equal(left, others) {
		t.Errorf("left %q, %v, expected %q", left, err, others)
	}
}
