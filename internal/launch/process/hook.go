package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"gopkg.in/yaml.v3"
)

// hookLibrary is the library whose malloc takes blocks from memory that other processes map.
const hookLibrary = "libacphook.so"

// preload is the variable with the libraries that the loader of programs loads before all others.
const preload = "LD_PRELOAD"

// FindHook returns the path of libacphook, which belongs to a launcher with the path exe: that in the
// folder lib beside the launcher's own folder, or in the folder of libraries that was configured, also if the
// installation has moved. Fails if the library is not there.
func FindHook(exe string) (string, error) {
	home := filepath.Dir(filepath.Dir(exe))
	folders := []string{filepath.Join(home, "lib")}
	if configured := configuredLibraries(home); configured != "" && !slices.Contains(folders, configured) {
		folders = append(folders, configured)
	}
	for _, folder := range folders {
		path := filepath.Join(folder, hookLibrary)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if strings.ContainsAny(path, ": \t") {
			return "", fmt.Errorf("%s cannot be preloaded: its path has blanks or colons", path)
		}
		return path, nil
	}
	return "", fmt.Errorf("%s is not in %s; make and make install put it there", hookLibrary, strings.Join(folders, " or "))
}

// configuredLibraries returns the folder of libraries that configure has told the wrapper compilers, or "". A folder
// below the prefix has moved with the installation, whose prefix is home now. Package wrappers/toolchain describes the file.
func configuredLibraries(home string) string {
	text, err := os.ReadFile(filepath.Join(home, "share", "goacp", "wrappers.yaml"))
	if err != nil {
		return ""
	}
	var data struct {
		Prefix string `yaml:"prefix"`
		LibDir string `yaml:"libdir"`
	}
	if yaml.Unmarshal(text, &data) != nil {
		return ""
	}
	if data.Prefix != "" {
		if rest, err := filepath.Rel(data.Prefix, data.LibDir); err == nil && filepath.IsLocal(rest) {
			return filepath.Join(home, rest)
		}
	}
	return data.LibDir
}

// WithHook returns environ with the library at path behind those that are preloaded already.
func WithHook(environ []string, path string) []string {
	if others, _ := envvar.Lookup(environ, preload); others != "" {
		path = others + ":" + path
	}
	return envvar.With(environ, preload+"="+path)
}

// CheckHook fails if environ preloads libacphook from a file that this host does not have.
func CheckHook(environ []string) error {
	libraries, _ := envvar.Lookup(environ, preload)
	for _, path := range strings.FieldsFunc(libraries, func(c rune) bool { return c == ':' || c == ' ' }) {
		if filepath.Base(path) != hookLibrary {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("options -mhooksmall, -mhooklarge, -mhookhuge: %s is not on this host", path)
		}
	}
	return nil
}
