package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sizes are those of every machine that the library is for: words have 64 bits.
var sizes = types.SizesFor("gc", "amd64")

// pkg is a package with the types of everything in it, also of what it does not export.
type pkg struct {
	folder string // below the root of the module
	files  []*ast.File
	info   types.Info
}

// listed is what the go command says of a package.
type listed struct {
	Dir        string
	ImportPath string
	GoFiles    []string
	Export     string // file with what the package exports
	DepOnly    bool
}

// load reads packages, which must have no cgo.
func load(root string, folders []string) ([]*pkg, error) {
	all, err := goList(root, folders)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	byFolder := map[string]*listed{}
	for i := range all {
		l := &all[i]
		exports[l.ImportPath] = l.Export
		if folder, err := filepath.Rel(root, l.Dir); err == nil && !l.DepOnly {
			byFolder[folder] = l
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var list []*pkg
	for _, folder := range folders {
		p := &pkg{folder: folder, info: types.Info{Defs: map[*ast.Ident]types.Object{}}}
		if err := p.read(byFolder[folder], fset, imports); err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// goList asks the go command for the packages in folders and what they depend on.
func goList(root string, folders []string) ([]listed, error) {
	args := []string{"list", "-export", "-deps", "-json=Dir,ImportPath,GoFiles,Export,DepOnly"}
	for _, f := range folders {
		args = append(args, "./"+f)
	}
	out, err := run(root, args...)
	if err != nil {
		return nil, err
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var l listed
		if err := d.Decode(&l); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func moduleRoot() (string, error) {
	dir, err := run(".", "list", "-m", "-f", "{{.Dir}}")
	return strings.TrimSpace(dir), err
}

// run runs the go command in a folder and returns what it prints.
func run(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), err
}

// read parses the files of a package and finds out its types.
func (p *pkg) read(l *listed, fset *token.FileSet, imports types.Importer) error {
	if l == nil {
		return errors.New("no package")
	}
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		p.files = append(p.files, f)
	}
	cfg := types.Config{Importer: imports, Sizes: sizes}
	_, err := cfg.Check(l.ImportPath, fset, p.files, &p.info)
	return err
}
