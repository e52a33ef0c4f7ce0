package main

import (
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	loads  = regexp.MustCompile(`(?:<(?:script|img|iframe|source|video)\b[^>]*?\bsrc|<link\b[^>]*?\bhref)="([^"]+)"|url\(['"]?(https?:[^)]+)`)
	leads  = regexp.MustCompile(`<a\b[^>]*?\bhref="([^"]+)"`)
	target = regexp.MustCompile(`\b(?:id|name)="([^"]+)"`)
	// canonical links name an address, and load nothing.
	canonical = regexp.MustCompile(`<link rel="canonical"[^>]*>`)
)

// check returns an error with all faults of a built site.
func check(folder string) error {
	anchors := map[string]map[string]bool{} // of each page
	texts := map[string]string{}
	files := map[string]bool{}
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		inside, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		files[inside] = true
		if ext := path.Ext(name); ext != ".html" && ext != ".css" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		texts[inside] = canonical.ReplaceAllString(string(text), "")
		anchors[inside] = map[string]bool{"": true, "__top": true}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			anchors[inside][html.UnescapeString(m[1])] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	var faults []string
	for page, text := range texts {
		for _, m := range loads.FindAllStringSubmatch(text, -1) {
			if address := m[1] + m[2]; strings.Contains(address, "//") {
				faults = append(faults, fmt.Sprintf("%s loads %s from another host", page, address))
			}
		}
		for _, m := range leads.FindAllStringSubmatch(text, -1) {
			to := html.UnescapeString(m[1])
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") || page == "404.html" {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			if anchor, err = url.PathUnescape(anchor); err != nil {
				return fmt.Errorf("%s links to %s: %w", page, to, err)
			}
			name := page
			if file != "" {
				name = path.Join(path.Dir(page), file)
			}
			if !files[name] { // the page of a folder
				name = path.Join(name, "index.html")
			}
			if !files[name] {
				faults = append(faults, fmt.Sprintf("%s links to %s, which does not exist", page, to))
			} else if set := anchors[name]; set != nil && !set[anchor] {
				faults = append(faults, fmt.Sprintf("%s links to %s, and there is no such place", page, to))
			}
		}
	}
	if len(faults) > 0 {
		slices.Sort(faults)
		return fmt.Errorf("the site has %d faults:\n%s", len(faults), strings.Join(slices.Compact(faults), "\n"))
	}
	return nil
}
