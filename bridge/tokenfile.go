package bridge

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// TokenFileName is the name of the token file in the private directory of a run.
const TokenFileName = "token"

// StartedSocketName is the name of the socket in the private directory of a run by which processes on the
// host of macprun announce their start.
const StartedSocketName = "started"

// WriteTokenFile writes the token of a run into dir and returns the path of the file. Only the user of this
// process may read the file (mode 0600). dir must be closed to other users. The file appears complete or not
// at all, and replaces an older one. Safe for concurrent use.
func WriteTokenFile(dir string, t Token) (path string, err error) {
	path = filepath.Join(dir, TokenFileName)
	f, err := os.CreateTemp(dir, TokenFileName+".*")
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	_, err = f.WriteString(t.String() + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("token: %w", err)
	}
	return path, nil
}

// ReadTokenFile reads a file that [WriteTokenFile] has written. It refuses a file that another user owns or
// may access, and any file that is not a regular file. The error names the file and never its content. Safe
// for concurrent use.
func ReadTokenFile(path string) (Token, error) {
	// Opening a named pipe must not wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	if err := checkTokenFile(path, info); err != nil {
		return Token{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, 2*2*int64(len(Token{}))))
	if err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	t, err := ParseToken(strings.TrimSuffix(string(text), "\n"))
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// checkTokenFile returns an error if others may read the file or may have written it.
func checkTokenFile(path string, info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("token: %s is no regular file", path)
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("token: %s does not belong to the user of this process (uid %d)", path, os.Geteuid())
	}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		return fmt.Errorf("token: %s has mode %04o, which lets other users access it; expected 0600", path, info.Mode().Perm())
	}
	return nil
}
