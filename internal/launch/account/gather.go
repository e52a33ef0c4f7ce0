package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/traffic"
)

// saved ends the names of files with tables of other hosts.
const saved = ".json"

// Gather returns the tables in a directory, by rank. The error names files that are no tables.
func Gather(dir string) ([]traffic.Snapshot, error) {
	var list []traffic.Snapshot
	var failed error
	paths, err := filepath.Glob(filepath.Join(dir, traffic.FilePattern))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		read := traffic.Read
		if strings.HasSuffix(path, saved) {
			read = load
		}
		s, err := read(path)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b traffic.Snapshot) int { return a.Member - b.Member })
	return list, failed
}

// Save puts a table that has come from another host into a directory, where Gather finds it. It takes the
// place of an older one. Save may be called while Gather reads, but not twice at once for a member.
func Save(dir string, s *traffic.Snapshot) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, traffic.FileName(s.Member)+saved)
	unfinished := filepath.Join(dir, "."+filepath.Base(path))
	if err := os.WriteFile(unfinished, text, 0o600); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}

func load(path string) (s traffic.Snapshot, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	return Decode(text)
}

// Decode decodes a table in JSON, as a proxy sends it.
func Decode(text []byte) (s traffic.Snapshot, err error) {
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("table of transfers: %w", err)
	}
	return s, s.Check()
}
