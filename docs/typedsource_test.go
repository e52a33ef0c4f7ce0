package docs

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// typedPackage is a package of the module with the types of its own source. Packages outside of the module are
// empty, apart from stubs, so that no compiler is needed. Errors that follow from that are ignored.
type typedPackage struct {
	folder string
	files  []*ast.File
	types  *types.Package
	info   *types.Info
}

// stubs are the packages outside of the module whose types the tests need.
var stubs = map[string]string{
	"sync": `package sync
type Locker interface { Lock(); Unlock() }
type Mutex struct{ _ int }
func (*Mutex) Lock() {}
func (*Mutex) TryLock() bool { return false }
func (*Mutex) Unlock() {}
type RWMutex struct{ _ int }
func (*RWMutex) Lock() {}
func (*RWMutex) TryLock() bool { return false }
func (*RWMutex) Unlock() {}
func (*RWMutex) RLock() {}
func (*RWMutex) TryRLock() bool { return false }
func (*RWMutex) RUnlock() {}
type Cond struct{ L Locker }
func (*Cond) Wait() {}
func (*Cond) Broadcast() {}
func (*Cond) Signal() {}
type Once struct{ _ int }
func (*Once) Do(f func()) {}
type WaitGroup struct{ _ int }
func (*WaitGroup) Add(n int) {}
func (*WaitGroup) Done() {}
func (*WaitGroup) Wait() {}
func (*WaitGroup) Go(f func()) {}
`,
	"sync/atomic": atomicStub(),
}

// atomicStub returns the source of what the tests need of sync/atomic.
func atomicStub() string {
	var b strings.Builder
	b.WriteString("package atomic\nimport \"unsafe\"\n")
	for name, of := range map[string]string{
		"Int32": "int32", "Int64": "int64", "Uint32": "uint32", "Uint64": "uint64", "Uintptr": "uintptr", "Pointer": "unsafe.Pointer",
	} {
		b.WriteString(strings.NewReplacer("NAME", name, "TYPE", of).Replace(`
func LoadNAME(p *TYPE) (x TYPE) { return }
func StoreNAME(p *TYPE, x TYPE) {}
func AddNAME(p *TYPE, x TYPE) (y TYPE) { return }
func AndNAME(p *TYPE, x TYPE) (y TYPE) { return }
func OrNAME(p *TYPE, x TYPE) (y TYPE) { return }
func SwapNAME(p *TYPE, x TYPE) (y TYPE) { return }
func CompareAndSwapNAME(p *TYPE, x, y TYPE) (z bool) { return }
`))
	}
	for name, of := range map[string]string{
		"Int32": "int32", "Int64": "int64", "Uint32": "uint32", "Uint64": "uint64", "Uintptr": "uintptr", "Bool": "bool", "Pointer[T any]": "*T",
	} {
		receiver, _, generic := strings.Cut(name, "[")
		if generic {
			receiver += "[T]"
		}
		b.WriteString(strings.NewReplacer("NAME", name, "OF", receiver, "TYPE", of).Replace(`
type NAME struct{ v TYPE }
func (*OF) Load() (x TYPE) { return }
func (*OF) Store(x TYPE) {}
func (*OF) Add(x TYPE) (y TYPE) { return }
func (*OF) And(x TYPE) (y TYPE) { return }
func (*OF) Or(x TYPE) (y TYPE) { return }
func (*OF) Swap(x TYPE) (y TYPE) { return }
func (*OF) CompareAndSwap(x, y TYPE) (z bool) { return }
`))
	}
	return b.String()
}

// typedSource checks the types of packages, by folder.
type typedSource struct {
	t        *testing.T
	fset     *token.FileSet
	context  build.Context
	packages map[string]*typedPackage
	outside  map[string]*types.Package
	all      []*typedPackage
}

// checked are the results of typedPackages, by tags.
var checked = map[string]*typedSource{}

// typedPackages returns the packages of the library and the launchers as a build with some tags has them, in order
// of their folders.
func typedPackages(t *testing.T, tags ...string) (*token.FileSet, []*typedPackage) {
	t.Helper()
	key := strings.Join(tags, ",")
	if checked[key] == nil {
		checked[key] = checkTypes(t, tags)
	}
	return checked[key].fset, checked[key].all
}

func checkTypes(t *testing.T, tags []string) *typedSource {
	t.Helper()
	s := &typedSource{t: t, fset: token.NewFileSet(), context: build.Default, packages: map[string]*typedPackage{}, outside: map[string]*types.Package{}}
	s.context.BuildTags, s.context.CgoEnabled = tags, true
	var folders []string
	for name := range sourceFiles(t) {
		if folder := filepath.Dir(name); filepath.Ext(name) == ".go" && !apart.MatchString(folder) && !strings.Contains(folder, "testdata") {
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		if p := s.load(folder); p != nil {
			s.all = append(s.all, p)
		}
	}
	return s
}

// Import implements types.Importer.
func (s *typedSource) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if folder, ok := strings.CutPrefix(path, module+"/"); ok {
		if p := s.load(folder); p != nil {
			return p.types, nil
		}
	}
	p := s.outside[path]
	if p == nil {
		p = types.NewPackage(path, filepath.Base(path))
		if text, ok := stubs[path]; ok {
			file, err := parser.ParseFile(s.fset, path, text, 0)
			if err != nil {
				s.t.Fatal(err)
			}
			cfg := types.Config{Importer: s}
			if p, err = cfg.Check(path, s.fset, []*ast.File{file}, nil); err != nil {
				s.t.Fatal(err)
			}
		}
		p.MarkComplete()
		s.outside[path] = p
	}
	return p, nil
}

// load returns the package in a folder, or nil if the build has no files there.
func (s *typedSource) load(folder string) *typedPackage {
	if p, ok := s.packages[folder]; ok {
		return p
	}
	s.packages[folder] = nil
	built, err := s.context.ImportDir(filepath.Join(root, folder), 0)
	if err != nil {
		return nil
	}
	p := &typedPackage{folder: folder, info: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{},
	}}
	for _, name := range append(built.GoFiles, built.CgoFiles...) {
		file, err := parser.ParseFile(s.fset, filepath.Join(root, folder, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			s.t.Fatal(err)
		}
		p.files = append(p.files, file)
	}
	cfg := types.Config{Importer: s, FakeImportC: true, Error: func(error) {}}
	p.types, _ = cfg.Check(module+"/"+folder, s.fset, p.files, p.info)
	s.packages[folder] = p
	return p
}
