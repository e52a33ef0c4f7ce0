package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/goacp/goacp"

// goPackage is what a package declares for others, with every build tag.
type goPackage struct {
	name     string
	names    map[string]bool
	members  map[string]map[string]bool // methods and fields, by type
	embedded map[string][]string        // embedded types, by type
	imports  map[string]bool            // packages of this module, as folders
}

// goPackages parses the packages of the module, by folder.
func goPackages(t *testing.T) map[string]*goPackage {
	t.Helper()
	all := map[string]*goPackage{}
	for name := range sourceFiles(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p := all[filepath.Dir(name)]
		if p == nil {
			p = &goPackage{"", map[string]bool{}, map[string]map[string]bool{}, map[string][]string{}, map[string]bool{}}
			all[filepath.Dir(name)] = p
		}
		p.name = file.Name.Name
		p.add(file)
	}
	return all
}

func (p *goPackage) add(file *ast.File) {
	for _, i := range file.Imports {
		if folder, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ok {
			p.imports[folder] = true
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				p.names[d.Name.Name] = true
			} else {
				p.member(typeName(d.Recv.List[0].Type), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				p.spec(s)
			}
		}
	}
}

func (p *goPackage) member(of, name string) {
	if p.members[of] == nil {
		p.members[of] = map[string]bool{}
	}
	p.members[of][name] = true
}

func (p *goPackage) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			p.names[n.Name] = true
		}
	case *ast.TypeSpec:
		p.names[s.Name.Name] = true
		var fields *ast.FieldList
		switch of := s.Type.(type) {
		case *ast.StructType:
			fields = of.Fields
		case *ast.InterfaceType:
			fields = of.Methods
		default:
			return
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				p.member(s.Name.Name, n.Name)
			}
			if len(f.Names) == 0 {
				p.embedded[s.Name.Name] = append(p.embedded[s.Name.Name], typeName(f.Type))
			}
		}
	}
}

// typeName returns the name of a type without pointer, type parameters and package.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// has reports whether a type has a method or field, its own or of an embedded type.
func (p *goPackage) has(of, name string) bool {
	if p.members[of][name] {
		return true
	}
	for _, e := range p.embedded[of] {
		if p.has(e, name) {
			return true
		}
	}
	return false
}

var selector = regexp.MustCompile(`\b([A-Za-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)

// others are packages outside of this module that pages name.
var others = regexp.MustCompile(`^(atomic|binary|bufio|cmp|context|errors|fmt|gompi|io|log|mpi4py|MPI|runtime|syscall)$`)

// ofExamples are fields of types that examples declare.
var ofExamples = regexp.MustCompile(`^(Due)$`)

var tableRow = regexp.MustCompile(`(?m)^\|.*$`)

// TestGoNamesExist: what a page names as package.Name is declared. Of x.Name, x being no
// package, Name is a method or field: of Process if x is p, of x if that is a type, and of any
// type of package acp, gp, armci, couple, dmi, weights or mpi if x is a variable.
func TestGoNamesExist(t *testing.T) {
	packages := goPackages(t)
	byName := map[string]*goPackage{}
	for folder, p := range packages {
		if filepath.Base(folder) != "testdata" {
			byName[p.name] = p
		}
	}
	for _, page := range pages(t) {
		// Of the files that it quotes, the compiler knows the names.
		text := quote.ReplaceAllString(page.text, "")
		if page.name == memoryPage {
			text = tableRow.ReplaceAllString(text, "") // it names fields of types that are not exported: see memory_test.go
		}
		for _, m := range selector.FindAllStringSubmatch(text, -1) {
			first, name, member := m[1], m[2], m[3]
			p := byName[first]
			switch {
			case p == nil && (others.MatchString(first) || ofExamples.MatchString(name)):
			case p == nil && !isMember(packages, first, name):
				t.Errorf("%s names %s, and there is no such method or field", page.name, m[0])
			case p != nil && !p.names[name]:
				t.Errorf("%s names %s, which package %s does not declare", page.name, m[0], first)
			case p != nil && member != "" && !p.has(name, member):
				t.Errorf("%s names %s, and %s.%s has no %s", page.name, m[0], first, name, member)
			}
		}
	}
}

// isMember reports whether name is a method or field of what x stands for.
func isMember(packages map[string]*goPackage, x, name string) bool {
	if x == "p" {
		return packages["acp"].has("Process", name)
	}
	isType := false
	for _, p := range packages {
		if ast.IsExported(x) && p.names[x] {
			isType = true
			if p.has(x, name) {
				return true
			}
		}
	}
	if isType {
		return false
	}
	for _, folder := range []string{"acp", "gp", "armci", "couple", "dmi", "weights", "mpi"} {
		for _, members := range packages[folder].members {
			if members[name] {
				return true
			}
		}
	}
	return false
}

var (
	cName     = regexp.MustCompile(`\bacp_[a-z0-9_]+`)
	gpName    = regexp.MustCompile(`\bGP_[A-Z][A-Za-z_]*`)
	macroName = regexp.MustCompile(`\bACP_[A-Z0-9_]+`)
	goString  = regexp.MustCompile(`"(ACP_[A-Z0-9_]+)"`)
)

// notInHeader are names of that form which are no names of C.
var notInHeader = map[string]string{
	"acp_address": "function of Fortran", "acp_bench": "program", "acp_couple": "name of the header", "acp_test": "suffix of Go packages",
}

// TestCNamesExist: every name acp_x and ACP_X is one of acp.h or acp_couple.h, or that of an
// environment variable. A name that ends with an underscore is the beginning of several.
func TestCNamesExist(t *testing.T) {
	header := read(t, "lib/acp/acp.h") + read(t, "lib/acp/acp_couple.h")
	known := map[string]bool{}
	for _, name := range append(cName.FindAllString(header, -1), macroName.FindAllString(header, -1)...) {
		known[name] = true
	}
	for name := range sourceFiles(t) {
		if filepath.Ext(name) == ".go" {
			for _, m := range goString.FindAllStringSubmatch(read(t, name), -1) {
				known[m[1]] = true
			}
		}
	}
	begins := func(prefix string) bool {
		for name := range known {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	}
	for _, p := range pages(t) {
		for _, name := range append(cName.FindAllString(p.text, -1), macroName.FindAllString(p.text, -1)...) {
			if _, ok := notInHeader[name]; ok || known[name] || strings.HasSuffix(name, "_") && begins(name) {
				continue
			}
			t.Errorf("%s names %s, which no header has", p.name, name)
		}
	}
}

// TestGPNamesExist: every name GP_X is one of gp.h.
func TestGPNamesExist(t *testing.T) {
	known := map[string]bool{}
	for _, name := range gpName.FindAllString(read(t, "lib/gp/gp.h"), -1) {
		known[name] = true
	}
	for _, p := range pages(t) {
		for _, name := range gpName.FindAllString(p.text, -1) {
			if !known[name] {
				t.Errorf("%s names %s, which gp.h does not have", p.name, name)
			}
		}
	}
}
