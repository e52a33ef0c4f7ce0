package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
	"unicode"
)

// shared is what C gets of some packages, in the order of the source.
type shared struct {
	groups  []group
	structs []*structure
	byType  map[string]*structure // by path and name of the type in Go
	names   map[string]bool       // in C
}

// group is the constants of one declaration.
type group struct {
	folder    string
	constants []constantC
}

type constantC struct {
	name    string
	value   constant.Value
	comment string
}

type structure struct {
	name     string // in C
	folder   string
	goName   string
	of       *types.Struct
	comments []string // by field
}

const directive = "//goacp:c "

// directed returns what the directive in a comment says, if there is one.
func directed(doc *ast.CommentGroup) string {
	if doc != nil {
		for _, c := range doc.List {
			if name, ok := strings.CutPrefix(c.Text, directive); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}

// collect finds what directives say.
func collect(list []*pkg) (*shared, error) {
	s := &shared{byType: map[string]*structure{}, names: map[string]bool{}}
	for _, p := range list {
		for _, f := range p.files {
			for _, d := range f.Decls {
				d, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				if err := s.declaration(p, d); err != nil {
					return nil, fmt.Errorf("%s: %w", p.folder, err)
				}
			}
		}
	}
	return s, nil
}

// declaration adds what C gets of a declaration.
func (s *shared) declaration(p *pkg, d *ast.GenDecl) error {
	g := group{folder: p.folder}
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if name := either(directed(spec.Doc), directed(d.Doc)); name != "" {
				if err := s.addType(p, spec, name); err != nil {
					return err
				}
			}
		case *ast.ValueSpec:
			if prefix := either(directed(spec.Doc), directed(d.Doc)); prefix != "" {
				if err := s.addConstants(&g, p, spec, prefix); err != nil {
					return err
				}
			}
		}
	}
	if len(g.constants) > 0 {
		s.groups = append(s.groups, g)
	}
	return nil
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// take claims a name in C.
func (s *shared) take(name string) error {
	if s.names[name] {
		return fmt.Errorf("two %s in C", name)
	}
	s.names[name] = true
	return nil
}

func (s *shared) addType(p *pkg, spec *ast.TypeSpec, name string) error {
	object := p.info.Defs[spec.Name]
	of, ok := object.Type().Underlying().(*types.Struct)
	if !ok {
		return fmt.Errorf("%s is no struct", spec.Name.Name)
	}
	c := &structure{name: name, folder: p.folder, goName: spec.Name.Name, of: of}
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		for range max(len(f.Names), 1) {
			c.comments = append(c.comments, oneLine(f.Comment))
		}
	}
	s.structs = append(s.structs, c)
	s.byType[goType(object)] = c
	return s.take(name)
}

// goType returns the path and the name of a type.
func goType(object types.Object) string { return object.Pkg().Path() + "." + object.Name() }

func (s *shared) addConstants(g *group, p *pkg, spec *ast.ValueSpec, prefix string) error {
	for _, name := range spec.Names {
		object, ok := p.info.Defs[name].(*types.Const)
		if !ok {
			return fmt.Errorf("%s is no constant", name.Name)
		}
		c := constantC{name: prefix + strings.ToUpper(snake(name.Name)), value: constant.ToInt(object.Val()), comment: oneLine(spec.Comment)}
		if c.value.Kind() != constant.Int {
			return fmt.Errorf("%s is no integer", name.Name)
		}
		if err := s.take(c.name); err != nil {
			return err
		}
		g.constants = append(g.constants, c)
	}
	return nil
}

func oneLine(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.TrimSpace(c.Text()), "\n", " ")
}

// snake turns HeapLen and PID into heap_len and pid.
func snake(name string) string {
	var b strings.Builder
	low := false // the letter before is
	for _, r := range name {
		if unicode.IsUpper(r) && low {
			b.WriteByte('_')
		}
		low = !unicode.IsUpper(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
