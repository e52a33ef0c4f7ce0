package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goacp/goacp/gen/picturegen/drawing"
	"github.com/goacp/goacp/gen/sitegen/reference"
)

// site is the pages of the site. A page has two names: that of its file in the source, and that in the site.
type site struct {
	root  string
	pages map[string]string // texts by the names in the source
	queue []string          // pages whose links have not been followed
	files map[string]string // what is written, by names in the folder
}

// beside are the files that the site needs apart from the pages.
var beside = []string{"site.css"}

// navigation finds the pages that the list in mkdocs.yml names.
var navigation = regexp.MustCompile(`(?m)^ +- (?:[^\n:]+: )?(\S+\.md)$`)

// generate writes mkdocs.yml and all pages below a folder: those of the list, and those to which they link.
func generate(root, folder, version string) error {
	config, err := os.ReadFile(filepath.Join(root, "docs", "mkdocs.yml"))
	if err != nil {
		return err
	}
	s := &site{root: root, pages: map[string]string{}, files: map[string]string{}}
	functions, err := s.reference()
	if err != nil {
		return err
	}
	changed, err := s.addReleases()
	if err != nil {
		return err
	}
	s.files["mkdocs.yml"] = strings.NewReplacer("@VERSION@", version, "          # @REFERENCE@\n", functions, "          # @RELEASES@\n", changed).
		Replace(string(config))
	s.files["pages/pictures.css"] = drawing.SiteStyle()
	for _, m := range navigation.FindAllStringSubmatch(string(config), -1) {
		if err := s.add(s.sourceOf(m[1])); err != nil {
			return fmt.Errorf("docs/mkdocs.yml: %w", err)
		}
	}
	for len(s.queue) > 0 {
		name := s.queue[0]
		s.queue = s.queue[1:]
		text, err := s.convert(name, s.pages[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.files[path.Join("pages", inSite(name))] = text
	}
	for _, name := range beside {
		if err := s.copy(name); err != nil {
			return err
		}
	}
	template, err := os.ReadFile(filepath.Join(root, "docs", "theme", "main.html"))
	if err != nil {
		return err
	}
	s.files["theme/main.html"] = string(template)
	if err := os.RemoveAll(filepath.Join(folder, "pages")); err != nil {
		return err
	}
	for name, text := range s.files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// reference adds the pages with all functions, and returns their list for mkdocs.yml.
func (s *site) reference() (string, error) {
	modules, err := os.MkdirTemp("", "sitegen")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(modules)
	write := exec.Command("go", "run", "./gen/fortrangen", modules)
	write.Dir = s.root
	if out, err := write.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fortrangen: %w\n%s", err, out)
	}
	pages, err := reference.Pages(s.root, modules)
	if err != nil {
		return "", err
	}
	list := ""
	for _, p := range pages {
		s.files["pages/reference/"+p.Name] = p.Text
		list += fmt.Sprintf("          - %q: reference/%s\n", p.Title, p.Name)
	}
	return list, nil
}

// copy makes a file of docs a part of the site as it is.
func (s *site) copy(name string) error {
	text, err := os.ReadFile(filepath.Join(s.root, "docs", name))
	if err == nil {
		s.files[path.Join("pages", name)] = string(text)
	}
	return err
}

// renamed are pages whose names in the site are not those of their files.
var renamed = map[string]string{"docs/README.md": "index.md", "README.md": "source/about.md"}

// inSite returns the name of a page in the site. Pages of docs are at the top, all others below source. A folder, and a file that is
// no page, has a page beside it.
func inSite(name string) string {
	if to := renamed[name]; to != "" {
		return to
	}
	if path.Ext(name) != ".md" {
		name = strings.ReplaceAll(name, ".", "_") + ".md"
	}
	if inner, found := strings.CutPrefix(name, "docs/"); found {
		return inner
	}
	if folder, found := strings.CutSuffix(name, "/README.md"); found {
		name = folder + ".md" // MkDocs would make the start of a folder from a README.md
	}
	return path.Join("source", name)
}

// sourceOf returns the file of a page that mkdocs.yml names.
func (s *site) sourceOf(page string) string {
	for name, renamed := range renamed {
		if renamed == page {
			return name
		}
	}
	if inner, found := strings.CutPrefix(page, "source/"); found {
		if folder := strings.TrimSuffix(inner, ".md"); s.folderPage(folder) != folder {
			return s.folderPage(folder)
		}
		return inner
	}
	return "docs/" + page
}

// add makes a file or folder of the source a page of the site, unless it is one.
func (s *site) add(name string) error {
	if _, known := s.pages[name]; known {
		return nil
	}
	text, err := s.text(name)
	if err != nil {
		return err
	}
	s.pages[name] = text
	s.queue = append(s.queue, name)
	return nil
}

// text returns the Markdown of a page, of a source file, or of all files of a folder.
func (s *site) text(name string) (string, error) {
	info, err := os.Stat(filepath.Join(s.root, name))
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		text, err := os.ReadFile(filepath.Join(s.root, name))
		if err != nil || path.Ext(name) == ".md" {
			return string(text), err
		}
		return "# " + name + "\n\n" + listing(name, string(text)), nil
	}
	entries, err := os.ReadDir(filepath.Join(s.root, name))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", name)
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.root, name, e.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s", e.Name(), listing(e.Name(), string(text)))
	}
	return b.String(), nil
}

// languages are the names of languages for the highlighter by the ends of file names.
var languages = map[string]string{".go": "go", ".c": "c", ".h": "c", ".py": "python", ".cc": "cpp", ".hpp": "cpp", ".f90": "fortran", ".yaml": "yaml", ".sh": "sh"}

// listing returns a source file as a block of code.
func listing(name, text string) string {
	return "``````" + languages[path.Ext(name)] + "\n" + strings.TrimRight(text, "\n") + "\n``````\n"
}

// folderPage returns the page that a link to a name leads to: the README of a folder that has one.
func (s *site) folderPage(name string) string {
	readme := path.Join(name, "README.md")
	if _, err := os.Stat(filepath.Join(s.root, readme)); err == nil {
		return readme
	}
	return name
}

// relative returns the link from one page of the site to another.
func relative(from, to string) string {
	a, b := strings.Split(path.Dir(from), "/"), strings.Split(path.Dir(to), "/")
	if a[0] == "." {
		a = nil
	}
	if b[0] == "." {
		b = nil
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	parts := slices.Repeat([]string{".."}, len(a)-n)
	return path.Join(append(append(parts, b[n:]...), path.Base(to))...)
}
