package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// offline lets the search of a built site work without a server. Browsers let no page of a file read another file or start a worker
// from one. So search/offline.js has the index and the code of the worker; the template in docs/theme loads it.
func offline(folder string) error {
	index, err := os.ReadFile(filepath.Join(folder, "search", "search_index.json"))
	if err != nil {
		return err
	}
	if !json.Valid(index) {
		return fmt.Errorf("search_index.json is not JSON")
	}
	workers, err := filepath.Glob(filepath.Join(folder, "assets", "javascripts", "workers", "search.*.min.js"))
	if err != nil {
		return err
	}
	if len(workers) != 1 {
		return fmt.Errorf("the theme has %d workers for the search, expected one", len(workers))
	}
	code, err := os.ReadFile(workers[0])
	if err != nil {
		return err
	}
	worker, err := json.Marshal(string(code))
	if err != nil {
		return err
	}
	script := fmt.Sprintf("var __search = {\nindex: Promise.resolve(%s),\nworker: URL.createObjectURL(new Blob([%s], {type: \"text/javascript\"})),\n}\n", index, worker)
	return os.WriteFile(filepath.Join(folder, "search", "offline.js"), []byte(script), 0o644)
}
