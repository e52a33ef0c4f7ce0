package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTokenFile(t *testing.T) {
	dir := t.TempDir()
	// The user's mask must not decide who may read the file.
	defer syscall.Umask(syscall.Umask(0))
	for _, token := range []Token{{1, 2, 3}, {0xff}} {
		path, err := WriteTokenFile(dir, token)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("mode %v, %v; expected 0600", info.Mode(), err)
		}
		if got, err := ReadTokenFile(path); err != nil || got != token {
			t.Errorf("read %v, %v; expected the token that was written", got.String(), err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v in the directory; expected the token's file alone", left, err)
	}
	if _, err := WriteTokenFile(filepath.Join(dir, "missing"), Token{}); err == nil {
		t.Error("no error for a directory that is not there")
	}
}

// TestTokenFileRefused expects a reason that names the file and not its content.
func TestTokenFileRefused(t *testing.T) {
	good := strings.Repeat("ab", 32)
	for _, test := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"readable by others", func(p string) error { return writeMode(p, good, 0o644) }, "has mode 0644"},
		{"writable by the group", func(p string) error { return writeMode(p, good, 0o620) }, "has mode 0620"},
		{"too short", func(p string) error { return writeMode(p, good[1:], 0o600) }, "expected 64 hexadecimal digits, found 63"},
		{"much too long", func(p string) error { return writeMode(p, strings.Repeat(good, 9999), 0o600) }, "expected 64 hexadecimal digits"},
		{"no digits", func(p string) error { return writeMode(p, good[:62]+"xy", 0o600) }, "found another character"},
		{"directory", func(p string) error { return os.Mkdir(p, 0o700) }, "no regular file"},
		{"pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, "no regular file"},
		{"link", func(p string) error {
			if err := writeMode(p+".real", good, 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".real", p)
		}, "too many levels of symbolic links"},
		{"missing", func(string) error { return nil }, "no such file"},
		{"of another user", func(p string) error {
			if err := writeMode(p, good, 0o600); err != nil {
				return err
			}
			return os.Chown(p, 65534, -1)
		}, "does not belong to the user of this process"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			if err := test.make(path); os.IsPermission(err) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			_, err := ReadTokenFile(path)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v; expected %q and the path", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), good[:8]) {
				t.Errorf("error %v repeats the content", err)
			}
		})
	}
}

func writeMode(path, text string, mode os.FileMode) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
