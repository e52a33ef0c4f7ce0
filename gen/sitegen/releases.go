package main

import (
	"fmt"
	"strings"
)

// changes is the file with the changes of all releases. In the site it is a list of them, and each release has a page.
const changes = "CHANGELOG.md"

// release is a part of the changes.
type release struct {
	name string // its version, or Unreleased
	text string
}

// page returns the name of the page of a release beside that of all changes.
func (r release) page() string { return "release-" + strings.ToLower(r.name) + ".md" }

// releases splits the changes: what stands before the first release, and the releases.
func releases(text string) (introduction string, list []release) {
	parts := strings.Split("\n"+text, "\n## ")
	for _, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		list = append(list, release{strings.TrimSpace(name), strings.TrimSpace(strings.ReplaceAll("\n"+rest, "\n### ", "\n## ")) + "\n"})
	}
	return strings.TrimSpace(parts[0]) + "\n", list
}

// addReleases adds a page for each release, and returns their list for mkdocs.yml.
func (s *site) addReleases() (string, error) {
	text, err := s.text(changes)
	if err != nil {
		return "", err
	}
	introduction, list := releases(text)
	if len(list) == 0 {
		return "", fmt.Errorf("%s has no releases", changes)
	}
	overview, navigation := introduction+"\n", ""
	for _, r := range list {
		title := r.name
		if title[0] >= '0' && title[0] <= '9' {
			title = "Version " + title
		}
		s.pages[r.page()] = "# " + title + "\n\n" + r.text
		s.queue = append(s.queue, r.page())
		overview += fmt.Sprintf("- [%s](%s)\n", title, r.page())
		navigation += fmt.Sprintf("          - %s: %s\n", title, inSite(r.page()))
	}
	s.pages[changes] = overview
	s.queue = append(s.queue, changes)
	return navigation, nil
}
