package process

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes a file with its folders.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFindHook: the library is found beside the launcher, and in the folder that was configured. The
// former comes first, since a staged installation has the other in its description.
func TestFindHook(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	exe := filepath.Join(home, "bin", "acprun")
	expect := func(path, err string) {
		t.Helper()
		got, e := FindHook(exe)
		if got != path || (e == nil) != (err == "") || e != nil && !strings.Contains(e.Error(), err) {
			t.Errorf("%q, %v; want %q, %s", got, e, path, err)
		}
	}
	expect("", "libacphook.so is not in "+filepath.Join(home, "lib")+";")
	write(t, filepath.Join(home, "share/goacp/wrappers.yaml"), "version: 1\nlibdir: "+other+"\n")
	expect("", " or "+other)
	write(t, filepath.Join(other, "libacphook.so"), "")
	expect(filepath.Join(other, "libacphook.so"), "")
	write(t, filepath.Join(home, "lib/libacphook.so"), "")
	expect(filepath.Join(home, "lib/libacphook.so"), "")
	exe = filepath.Join(home, "my programs", "bin", "acprun")
	write(t, filepath.Join(home, "my programs/lib/libacphook.so"), "")
	expect("", "blanks or colons")
}

// TestFindMovedHook: the folder of libraries moves with the prefix of the installation, if it is below the prefix.
func TestFindMovedHook(t *testing.T) {
	for _, c := range []struct{ prefix, libDir, moved string }{
		{"/usr", "/usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"},
		{"/usr", "/usr/lib64", "lib64"},
		{"/", "/lib64", "lib64"},
		{"/opt/a", "/opt/ab/lib64", ""},
	} {
		home := t.TempDir()
		write(t, filepath.Join(home, "share/goacp/wrappers.yaml"), "prefix: "+c.prefix+"\nlibdir: "+c.libDir+"\n")
		want := ""
		if c.moved != "" {
			want = filepath.Join(home, c.moved, "libacphook.so")
			write(t, want, "")
		}
		got, err := FindHook(filepath.Join(home, "bin", "acprun"))
		if got != want || (err == nil) != (want != "") || err != nil && !strings.Contains(err.Error(), c.libDir) {
			t.Errorf("prefix %s, libdir %s: found %q, %v; want %q", c.prefix, c.libDir, got, err, want)
		}
	}
}

// TestPreload: the library comes behind those of the user, and a host that does not have it gets an error.
func TestPreload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libacphook.so")
	environ := WithHook([]string{"A=b"}, path)
	if !slices.Equal(environ, []string{"A=b", "LD_PRELOAD=" + path}) {
		t.Errorf("%q", environ)
	}
	environ = WithHook([]string{"LD_PRELOAD=/x/liba.so libb.so", "A=b"}, path)
	if !slices.Equal(environ, []string{"A=b", "LD_PRELOAD=/x/liba.so libb.so:" + path}) {
		t.Errorf("%q", environ)
	}
	if err := CheckHook(environ); err == nil || !strings.Contains(err.Error(), path+" is not on this host") {
		t.Error(err)
	}
	write(t, path, "")
	if err := CheckHook(environ); err != nil {
		t.Error(err)
	}
	if err := CheckHook([]string{"LD_PRELOAD=/x/liba.so"}); err != nil {
		t.Error(err)
	}
}
