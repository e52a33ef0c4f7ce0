package reference

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"strings"
)

// goForms returns what packages acp and couple have: the heads of functions and methods.
func goForms(root string, bindings []binding) (map[string][]form, error) {
	heads := map[string]form{} // such as Process.Sync and couple.NewModel
	for _, folder := range []string{"acp", "couple"} {
		prefix := ""
		if folder != "acp" {
			prefix = folder + "."
		}
		if err := readGo(filepath.Join(root, folder), prefix, heads); err != nil {
			return nil, err
		}
	}
	all := map[string][]form{}
	for _, b := range bindings {
		for _, name := range b.golang {
			f := heads[name]
			if f == nil {
				f = form{name} // a method of an embedded type, which docs/bindings_test.go knows
			}
			all[b.c] = append(all[b.c], f)
		}
	}
	return all, nil
}

// readGo adds the functions and methods of a package.
func readGo(folder, prefix string, heads map[string]form) error {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			var text bytes.Buffer
			if err := printer.Fprint(&text, set, &ast.FuncDecl{Recv: f.Recv, Name: f.Name, Type: f.Type}); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			key := prefix + f.Name.Name
			if f.Recv != nil {
				key = prefix + receiver(f.Recv.List[0].Type) + "." + f.Name.Name
			}
			heads[key] = append(form{"// package " + filepath.Base(folder)}, strings.Split(text.String(), "\n")...)
		}
	}
	return nil
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
