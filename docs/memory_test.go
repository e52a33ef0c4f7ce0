package docs

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const memoryPage = "docs/memory.md"

// lockTypes are the types of locks.
var lockTypes = []string{"sync.Mutex", "sync.RWMutex", module + "/internal/ground/futex.Mutex", module + "/internal/ground/futex.RWMutex"}

// lockWords are locks of other types: words of memory that C or other processes use, too.
var lockWords = []string{
	"internal/memory/maptable SubmissionQueue.lock",
	"internal/memory/ring Endpoint.Lock",
	"internal/structure/hashed slot.lock",
}

// lockWordsInC are those of C, by folder.
var lockWordsInC = []string{
	"lib/acp goacp_submission_queue.lock",
	"lib/acp goacp_endpoint.lock",
	"lib/acp goacp_slot.lock",
	"lib/armci goacp_armci_mutex.last",
}

// inSharedMemory are the structs that other processes map or read and that C does not have.
var inSharedMemory = []string{
	"internal/memory/segment header",
	"internal/memory/segment poolRecord",
	"internal/ground/activity head",
	"internal/ground/activity wait",
	"internal/ground/traffic timelineRecord",
	"internal/structure/collarea head",
	"internal/structure/message ringHead",
	"internal/structure/segbuf control",
	"internal/process/barrier Barrier",
	"internal/system/couple/link System",
	"internal/system/couple/link stream",
}

// named returns what a table of the page names: "folder name" for each name in one of some columns. The first column
// that has code is the folder.
func named(t *testing.T, table string, folder int, columns ...int) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, line := range strings.Split(between(t, memoryPage, "<!-- "+table+" -->", "<!-- end of "+table+" -->"), "\n") {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "|") || len(cells) <= folder+1 || len(code(cells[folder+1])) != 1 {
			continue
		}
		for _, c := range columns {
			for _, name := range code(cells[c+1]) {
				all[code(cells[folder+1])[0]+" "+name] = true
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s: the table between <!-- %s --> and <!-- end of %s --> has no rows", memoryPage, table, table)
	}
	return all
}

// compareNames reports what the source has and the page does not name, and the reverse.
func compareNames(t *testing.T, table, what string, found, want map[string]bool) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !found[name] {
			folder, x, _ := strings.Cut(name, " ")
			t.Errorf("%s does not name %s %s of %s: add a row with `%s` and `%s` to the table behind <!-- %s -->", memoryPage, what, x, folder, folder, x, table)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !want[name] {
			folder, x, _ := strings.Cut(name, " ")
			t.Errorf("%s names %s of %s behind <!-- %s -->, and there is no such %s: remove it or give it its new name", memoryPage, x, folder, table, what)
		}
	}
}

// structFields returns the fields of the structs that packages declare, as "folder Type.field", by what the type
// checker has for them. Variables of a struct type without a name count as types.
func structFields(packages []*typedPackage) map[*types.Var]string {
	names := map[*types.Var]string{}
	for _, p := range packages {
		var enter func(of types.Type, prefix string)
		enter = func(of types.Type, prefix string) {
			switch of := of.(type) {
			case *types.Array:
				enter(of.Elem(), prefix)
			case *types.Struct:
				for f := range of.Fields() {
					names[f] = prefix + "." + f.Name()
					enter(f.Type(), names[f])
				}
			}
		}
		for _, f := range p.files {
			for _, d := range f.Decls {
				d, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if _, ok := s.Type.(*ast.StructType); ok {
							enter(p.info.Defs[s.Name].Type().Underlying(), p.folder+" "+s.Name.Name)
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if v, ok := p.info.Defs[n].(*types.Var); ok {
								names[v] = p.folder + " " + n.Name
								enter(v.Type(), names[v])
							}
						}
					}
				}
			}
		}
	}
	return names
}

// builds are the tags of the builds.
var builds = [][]string{nil, {"mpi"}}

// TestLocksAreNamed: the table of locks has every mutex of the Go packages, every lock word and no others.
func TestLocksAreNamed(t *testing.T) {
	want := map[string]bool{}
	for _, tags := range builds {
		_, packages := typedPackages(t, tags...)
		for v, name := range structFields(packages) {
			of := v.Type()
			if p, ok := of.(*types.Pointer); ok {
				of = p.Elem()
			}
			if slices.Contains(lockTypes, of.String()) && !strings.HasSuffix(name, " _") {
				want[name] = true
			}
			if slices.Contains(lockWords, name) {
				want[name] = true
			}
		}
	}
	for _, name := range lockWords {
		if !want[name] {
			t.Errorf("lockWords in docs/memory_test.go has %s, and there is no such field: give it its new name", name)
		}
	}
	compareNames(t, "locks", "lock", named(t, "locks", 1, 2), want)
}

var (
	threadLock  = regexp.MustCompile(`(?m)^\s*(?:static |extern )*(?:pthread_mutex_t|pthread_rwlock_t|pthread_spinlock_t|struct brief|struct goacp_mutex) (\w+)(?: = [^;]*)?;`)
	structOfC   = regexp.MustCompile(`(?ms)^(?:static )?struct (\w+) (?:const )?\{\n(.*?)^\}`)
	fieldsOfC   = regexp.MustCompile(`\w+`)
	atomicField = regexp.MustCompile(`(?:__atomic_|goacp_(?:load|store|fetch|add|exchange|compare)_)\w+\(&(?:\w+\([^)]*\))?[^,;=()]*?(?:->|\.)(\w+)(?:\[[^\]]*\])?,`)
	bareAtomic  = regexp.MustCompile(`__atomic_\w+\(([^,;]*)`)
	atomicMacro = regexp.MustCompile(`(?m)^(?:#define|static inline void) goacp_((?:load|store|fetch|add|exchange|compare|fence)_\w+)\(`)
	atomicName  = regexp.MustCompile(`^(?:load|store|fetch|add|exchange|compare|fence)_\w+$`)
	lineComment = regexp.MustCompile(`//.*|(?s:/\*.*?\*/)`)
)

// sourceOfC returns the files in C of the libraries, without comments.
func sourceOfC(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range sourceFiles(t) {
		if ext := filepath.Ext(name); (ext == ".c" || ext == ".h") && !apart.MatchString(filepath.Dir(name)) && !strings.Contains(name, "testdata") {
			all[name] = lineComment.ReplaceAllString(read(t, name), "")
		}
	}
	return all
}

// TestLocksOfCAreNamed: the table of locks in C has every mutex of the libraries in C, every lock word and no others.
func TestLocksOfCAreNamed(t *testing.T) {
	want, fields := map[string]bool{}, map[string]bool{}
	for name, text := range sourceOfC(t) {
		folder := filepath.Dir(name)
		for _, s := range structOfC.FindAllStringSubmatch(text, -1) {
			for _, m := range threadLock.FindAllStringSubmatch(s[2], -1) {
				want[folder+" "+s[1]+"."+m[1]] = true
			}
			for _, f := range fieldsOfC.FindAllString(s[2], -1) {
				fields[s[1]+"."+f] = true
			}
		}
		for _, m := range threadLock.FindAllStringSubmatch(structOfC.ReplaceAllString(text, ""), -1) {
			want[folder+" "+m[1]] = true
		}
	}
	for _, name := range lockWordsInC {
		if _, field, _ := strings.Cut(name, " "); !fields[field] {
			t.Errorf("lockWordsInC in docs/memory_test.go has %s, and there is no such field: give it its new name", name)
		}
		want[name] = true
	}
	compareNames(t, "locks in C", "lock", named(t, "locks in C", 1, 2), want)
}

// atomicWords returns the fields of structs in shared memory and of structs that C has, too, that functions of
// sync/atomic use, and those of the latter that have a type of sync/atomic. all are the fields of all structs.
func atomicWords(t *testing.T) (used, all map[string]bool) {
	used, all = map[string]bool{}, map[string]bool{}
	for _, tags := range builds {
		_, packages := typedPackages(t, tags...)
		names, inC, shared := structFields(packages), map[string]bool{}, map[string]bool{}
		for _, p := range packages {
			for _, f := range p.files {
				for _, name := range directedStructs(f) {
					inC[p.folder+" "+name] = true
				}
			}
		}
		maps.Copy(shared, inC)
		for _, name := range inSharedMemory {
			shared[name] = true
		}
		for v, name := range names {
			all[name] = true
			if i := strings.LastIndex(name, "."); i > 0 && inC[name[:i]] && strings.HasPrefix(v.Type().String(), "sync/atomic.") {
				used[name] = true
			}
		}
		for _, p := range packages {
			for _, f := range p.files {
				ast.Inspect(f, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok || len(call.Args) == 0 {
						return true
					}
					s, ok := call.Fun.(*ast.SelectorExpr)
					if !ok || p.info.Selections[s] != nil || p.info.Uses[s.Sel] == nil || p.info.Uses[s.Sel].Pkg() == nil || p.info.Uses[s.Sel].Pkg().Path() != "sync/atomic" {
						return true
					}
					if name := names[p.field(call.Args[0])]; name != "" && shared[name[:max(0, strings.LastIndex(name, "."))]] {
						used[name] = true
					}
					return true
				})
			}
		}
	}
	return used, all
}

// directedStructs returns the types of a file that C gets.
func directedStructs(f *ast.File) (list []string) {
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			continue
		}
		for _, s := range d.Specs {
			for _, doc := range []*ast.CommentGroup{d.Doc, s.(*ast.TypeSpec).Doc} {
				if doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//goacp:c ") }) {
					list = append(list, s.(*ast.TypeSpec).Name.Name)
				}
			}
		}
	}
	return list
}

// field returns the field that an expression stands for or points to, or nil.
func (p *typedPackage) field(e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.field(e.X)
	case *ast.UnaryExpr:
		return p.field(e.X)
	case *ast.IndexExpr:
		return p.field(e.X)
	case *ast.SelectorExpr:
		if s := p.info.Selections[e]; s != nil {
			if v, ok := s.Obj().(*types.Var); ok {
				return v.Origin()
			}
		}
	}
	return nil
}

// TestAtomicWordsAreNamed: the table of words has every word in shared memory and every word that Go shares with C that
// Go uses atomically. It names fields alone that exist.
func TestAtomicWordsAreNamed(t *testing.T) {
	used, all := atomicWords(t)
	found := named(t, "words", 0, 1)
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !found[name] {
			folder, x, _ := strings.Cut(name, " ")
			t.Errorf("%s does not name %s of %s, which is used atomically: add `%s` to the words of `%s` in the table behind <!-- words -->, with the orders on both sides", memoryPage, x, folder, x, folder)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if folder, x, _ := strings.Cut(name, " "); strings.Contains(x, ".") && !all[name] {
			t.Errorf("%s names the word %s of %s, and there is no such field: remove it or give it its new name", memoryPage, x, folder)
		}
	}
}

// TestAtomicWordsOfCAreNamed: the tables of words have every field that C uses atomically. The names in C are those of
// fields that exist.
func TestAtomicWordsOfCAreNamed(t *testing.T) {
	fields, used := map[string]bool{}, map[string][]string{}
	for name, text := range sourceOfC(t) {
		for _, s := range structOfC.FindAllStringSubmatch(text, -1) {
			for _, f := range fieldsOfC.FindAllString(s[2], -1) {
				fields[s[1]+"."+f] = true
			}
		}
		for _, m := range atomicField.FindAllStringSubmatch(text, -1) {
			used[m[1]] = append(used[m[1]], name)
		}
	}
	found := named(t, "words", 0, 2)
	maps.Copy(found, named(t, "words of C", 0, 1))
	last := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		_, word, _ := strings.Cut(name, " ")
		of, field, ok := strings.Cut(word, ".")
		if !ok {
			continue
		}
		last[field] = true
		if !fields[word] {
			t.Errorf("%s names %s, and no struct %s of C has such a field: remove it or give it its new name", memoryPage, word, of)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(used)) {
		if !last[field] {
			t.Errorf("%s names no word of C with the field %s, which %s uses atomically: add struct.%s to the table behind <!-- words --> if Go has it, too, and otherwise to that behind <!-- words of C -->", memoryPage, field, used[field][0], field)
		}
	}
}

const atomicsHeader = "lib/acp/atomics.h"

// bareAtomics are the files in C that use atomic builtins of the compiler on fields of structs.
var bareAtomics = []string{
	"lib/acp/access.c", // on data of the program
	"lib/hook/capi/memory.c", "lib/hook/capi/memory.h", "lib/hook/capi/rules.c", "lib/hook/capi/rules.h", "lib/hook/capi/spans.h",
}

// TestAtomicsHaveNames: files in C access words of structs by the functions of atomics.h, except those that are listed.
// The tables name all of these functions and no others.
func TestAtomicsHaveNames(t *testing.T) {
	bare, declared := map[string]bool{}, map[string]bool{}
	for name, text := range sourceOfC(t) {
		for _, m := range bareAtomic.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "->") || strings.Contains(m[1], ".") {
				bare[name] = true
			}
		}
		for _, m := range atomicMacro.FindAllStringSubmatch(text, -1) {
			if name == atomicsHeader {
				declared[m[1]] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bare)) {
		if !slices.Contains(bareAtomics, name) {
			t.Errorf("%s uses an atomic builtin of the compiler on a field: use a function of %s", name, atomicsHeader)
		}
	}
	for _, name := range bareAtomics {
		if !bare[name] {
			t.Errorf("bareAtomics in docs/memory_test.go has %s, which uses no atomic builtin on a field: remove it", name)
		}
	}
	if len(declared) == 0 {
		t.Fatalf("%s declares no function", atomicsHeader)
	}
	used := map[string]bool{}
	page := read(t, memoryPage)
	for _, name := range code(page[strings.Index(page, "### Orders"):]) {
		if atomicName.MatchString(name) {
			used[name] = true
			if !declared[name] {
				t.Errorf("%s names %s, and %s declares no such function: remove it or give it its new name", memoryPage, name, atomicsHeader)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if !used[name] {
			t.Errorf("%s does not name %s of %s: no word needs it, or the row of the word has an old name", memoryPage, name, atomicsHeader)
		}
	}
}
