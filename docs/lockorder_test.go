package docs

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lockFunctions are functions that take or give back locks for their callers, with what they take. Methods of lockTypes
// are known without it.
var lockFunctions = map[string][]string{
	"internal/ground/wait Cond.Lock":                {"internal/ground/wait Cond.mu"},
	"internal/memory/maptable SubmissionQueue.Lock": {"internal/memory/maptable SubmissionQueue.lock"},
	"internal/memory/ring Endpoint.Take":            {"internal/memory/ring Endpoint.Lock"},
	"internal/structure/hashed table.hold":          {"internal/structure/hashed slot.lock"},
	"internal/structure/channel Channel.lock":       {"internal/structure/channel Channel.mu", "internal/memory/ring Endpoint.Lock"},
	"internal/system/armci/transfer pageLock.at":    {"internal/system/armci/transfer PageLock.mutex"},
	"internal/network/rma calls.Lock":               {"internal/network/rma calls.mu"},
	"internal/network/rma calls.lockUnless":         {"internal/network/rma calls.mu"},
}

// unlockFunctions are the reverse.
var unlockFunctions = map[string][]string{
	"internal/ground/wait Cond.Unlock":                {"internal/ground/wait Cond.mu"},
	"internal/memory/maptable SubmissionQueue.Unlock": {"internal/memory/maptable SubmissionQueue.lock"},
	"internal/memory/ring Endpoint.Drop":              {"internal/memory/ring Endpoint.Lock"},
	"internal/structure/hashed slot.release":          {"internal/structure/hashed slot.lock"},
	"internal/structure/hashed slot.retreat":          {"internal/structure/hashed slot.lock"},
	"internal/structure/channel Channel.unlock":       {"internal/structure/channel Channel.mu", "internal/memory/ring Endpoint.Lock"},
	"internal/system/armci/transfer pageLock.release": {"internal/system/armci/transfer PageLock.mutex"},
	"internal/network/rma calls.Unlock":               {"internal/network/rma calls.mu"},
}

// lockSet is a set of locks.
type lockSet map[string]bool

// lockState is what a function holds at some place: locks that it has taken, and locks of its callers that it has
// given back.
type lockState struct{ held, released lockSet }

func (s lockState) clone() lockState { return lockState{maps.Clone(s.held), maps.Clone(s.released)} }

func (s lockState) take(lock string) {
	delete(s.released, lock)
	s.held[lock] = true
}

func (s lockState) give(lock string) {
	if !s.held[lock] {
		s.released[lock] = true
	}
	delete(s.held, lock)
}

// meet makes s what both states have.
func (s lockState) meet(o lockState) {
	maps.DeleteFunc(s.held, func(l string, _ bool) bool { return !o.held[l] })
	maps.DeleteFunc(s.released, func(l string, _ bool) bool { return !o.released[l] })
}

// lockUse is a lock that a function takes, or a function that it calls, and what it holds there.
type lockUse struct {
	lock   string
	callee *types.Func
	at     token.Pos
	state  lockState
}

// lockWalk follows the statements of a function.
type lockWalk struct {
	p     *typedPackage
	names map[*types.Var]string
	uses  []lockUse
}

// lockOf returns the lock of a call of a method of one of lockTypes.
func (w *lockWalk) lockOf(s *ast.SelectorExpr, selection *types.Selection) string {
	lock := w.p.field(s.X)
	if id, ok := s.X.(*ast.Ident); ok && lock == nil {
		lock, _ = w.p.info.Uses[id].(*types.Var)
	}
	of := selection.Recv()
	for _, i := range selection.Index()[:len(selection.Index())-1] { // an embedded mutex
		if p, ok := of.Underlying().(*types.Pointer); ok {
			of = p.Elem()
		}
		lock = of.Underlying().(*types.Struct).Field(i)
		of = lock.Type()
	}
	return w.names[lock]
}

// funcName returns the name of a function as in lockFunctions.
func funcName(f *types.Func) string {
	if f.Pkg() == nil {
		return ""
	}
	name := f.Name()
	if r := f.Signature().Recv(); r != nil {
		of := r.Type()
		if p, ok := of.(*types.Pointer); ok {
			of = p.Elem()
		}
		if n, ok := of.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return strings.TrimPrefix(f.Pkg().Path(), module+"/") + " " + name
}

// hasLocks reports whether a package declares some of lockTypes.
func hasLocks(path string) bool {
	return slices.ContainsFunc(lockTypes, func(of string) bool { return strings.HasPrefix(of, path+".") })
}

// call notes a call and changes the state.
func (w *lockWalk) call(c *ast.CallExpr, s lockState) {
	var f *types.Func
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		f, _ = w.p.info.Uses[fun].(*types.Func)
	case *ast.SelectorExpr:
		f, _ = w.p.info.Uses[fun.Sel].(*types.Func)
		if selection := w.p.info.Selections[fun]; f != nil && f.Pkg() != nil && hasLocks(f.Pkg().Path()) && selection != nil {
			lock := w.lockOf(fun, selection)
			switch f.Name() {
			case "Lock", "RLock":
				if lock != "" {
					w.uses = append(w.uses, lockUse{lock: lock, at: c.Pos(), state: s.clone()})
					s.take(lock)
				}
			case "Unlock", "RUnlock":
				s.give(lock)
			}
			return
		}
	}
	if f == nil || f.Pkg() == nil || !strings.HasPrefix(f.Pkg().Path(), module) {
		return
	}
	f = f.Origin()
	if locks := lockFunctions[funcName(f)]; locks != nil {
		for _, lock := range locks {
			w.uses = append(w.uses, lockUse{lock: lock, at: c.Pos(), state: s.clone()})
			s.take(lock)
		}
		return
	}
	if locks := unlockFunctions[funcName(f)]; locks != nil {
		for _, lock := range locks {
			s.give(lock)
		}
		return
	}
	w.uses = append(w.uses, lockUse{callee: f, at: c.Pos(), state: s.clone()})
}

// expressions follows the calls in a node that is no list of statements. Functions without a name are left out: it is
// not known when they are called.
func (w *lockWalk) expressions(n ast.Node, s lockState) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			for _, a := range n.Args {
				w.expressions(a, s)
			}
			w.expressions(n.Fun, s)
			w.call(n, s)
			return false
		}
		return true
	})
}

// statements follows a list of statements. It reports whether they end the function or leave the list by a jump.
func (w *lockWalk) statements(list []ast.Stmt, s lockState) (leaves bool) {
	for _, x := range list {
		if w.statement(x, s) {
			return true
		}
	}
	return false
}

// branches follows parts of which one is carried out. all says that one of them is.
func (w *lockWalk) branches(s lockState, all bool, parts ...func(s lockState) bool) (leaves bool) {
	var ends []lockState
	if !all {
		ends = append(ends, s.clone())
	}
	for _, part := range parts {
		if end := s.clone(); !part(end) {
			ends = append(ends, end)
		}
	}
	if len(ends) == 0 {
		return true
	}
	clear(s.held)
	clear(s.released)
	maps.Copy(s.held, ends[0].held)
	maps.Copy(s.released, ends[0].released)
	for _, end := range ends[1:] {
		s.meet(end)
	}
	return false
}

func (w *lockWalk) statement(x ast.Stmt, s lockState) (leaves bool) {
	block := func(b *ast.BlockStmt) func(lockState) bool {
		return func(s lockState) bool { return w.statements(b.List, s) }
	}
	switch x := x.(type) {
	case *ast.BlockStmt:
		return w.statements(x.List, s)
	case *ast.LabeledStmt:
		return w.statement(x.Stmt, s)
	case *ast.ReturnStmt:
		w.expressions(x, s)
		return true
	case *ast.BranchStmt:
		return true
	case *ast.GoStmt, *ast.DeferStmt: // what is deferred gives locks back when the function ends
		return false
	case *ast.IfStmt:
		if x.Init != nil {
			w.statement(x.Init, s)
		}
		w.expressions(x.Cond, s)
		if x.Else == nil {
			return w.branches(s, false, block(x.Body))
		}
		return w.branches(s, true, block(x.Body), func(s lockState) bool { return w.statement(x.Else, s) })
	case *ast.ForStmt:
		if x.Init != nil {
			w.statement(x.Init, s)
		}
		if x.Cond != nil {
			w.expressions(x.Cond, s)
		}
		w.branches(s, false, block(x.Body))
		return false
	case *ast.RangeStmt:
		w.expressions(x.X, s)
		w.branches(s, false, block(x.Body))
		return false
	case *ast.SwitchStmt:
		if x.Init != nil {
			w.statement(x.Init, s)
		}
		return w.cases(x.Body, s)
	case *ast.TypeSwitchStmt:
		return w.cases(x.Body, s)
	case *ast.SelectStmt:
		return w.cases(x.Body, s)
	}
	w.expressions(x, s)
	return false
}

// cases follows the clauses of a switch or select.
func (w *lockWalk) cases(body *ast.BlockStmt, s lockState) bool {
	var parts []func(lockState) bool
	all := false
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			all = all || c.List == nil
			parts = append(parts, func(s lockState) bool {
				for _, e := range c.List {
					w.expressions(e, s)
				}
				return w.statements(c.Body, s)
			})
		case *ast.CommClause:
			all = true
			parts = append(parts, func(s lockState) bool { return w.statements(c.Body, s) })
		}
	}
	return w.branches(s, all, parts...) && all
}

// lockUses returns what each function takes and calls, by function.
func lockUses(packages []*typedPackage) map[*types.Func][]lockUse {
	names, all := structFields(packages), map[*types.Func][]lockUse{}
	for _, p := range packages {
		for _, file := range p.files {
			for _, d := range file.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok || d.Body == nil {
					continue
				}
				f, _ := p.info.Defs[d.Name].(*types.Func)
				if f == nil || lockFunctions[funcName(f)] != nil || unlockFunctions[funcName(f)] != nil {
					continue
				}
				w := &lockWalk{p: p, names: names}
				w.statements(d.Body.List, lockState{lockSet{}, lockSet{}})
				all[f] = w.uses
			}
		}
	}
	return all
}

// acquired returns the locks that each function takes itself or by functions that it calls, each with the locks of
// callers that it has given back wherever it takes that one.
func acquired(uses map[*types.Func][]lockUse) map[*types.Func]map[string]lockSet {
	all := map[*types.Func]map[string]lockSet{}
	for changed := true; changed; {
		changed = false
		for f, list := range uses {
			enter := func(lock string, released lockSet) {
				if all[f] == nil {
					all[f] = map[string]lockSet{}
				}
				old, known := all[f][lock]
				if !known {
					all[f][lock], changed = maps.Clone(released), true
					return
				}
				maps.DeleteFunc(old, func(l string, _ bool) bool {
					gone := !released[l]
					changed = changed || gone
					return gone
				})
			}
			for _, u := range list {
				if u.callee == nil {
					enter(u.lock, u.state.released)
					continue
				}
				for lock, released := range all[u.callee] {
					both := maps.Clone(u.state.released)
					for l := range released {
						both[l] = both[l] || !u.state.held[l]
					}
					maps.DeleteFunc(both, func(_ string, is bool) bool { return !is })
					enter(lock, both)
				}
			}
		}
	}
	return all
}

// lockRow is a row of the table of locks.
type lockRow struct {
	level int // 0: none
	then  []string
}

var lockReference = regexp.MustCompile("`([^`]+)`(?: of `([^`]+)`)?")

// lockRows returns the rows of the table of locks of Go, by "folder lock".
func lockRows(t *testing.T) map[string]lockRow {
	t.Helper()
	rows, full := map[string]lockRow{}, map[string][]string{}
	then := map[string]string{}
	for _, line := range strings.Split(between(t, memoryPage, "<!-- locks -->", "<!-- end of locks -->"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || len(code(cells[2])) != 1 || len(code(cells[3])) != 1 {
			continue
		}
		name := code(cells[2])[0] + " " + code(cells[3])[0]
		level, _ := strconv.Atoi(strings.TrimSpace(cells[1]))
		rows[name], then[name] = lockRow{level: level}, cells[5]
		full[code(cells[3])[0]] = append(full[code(cells[3])[0]], name)
	}
	for name, text := range then {
		row := rows[name]
		for _, m := range lockReference.FindAllStringSubmatch(text, -1) {
			switch {
			case m[2] != "":
				row.then = append(row.then, m[2]+" "+m[1])
			case len(full[m[1]]) == 1:
				row.then = append(row.then, full[m[1]][0])
			default:
				t.Errorf("%s: the row of %s names %s, which %d packages have: write `%s` of `folder`", memoryPage, name, m[1], len(full[m[1]]), m[1])
			}
		}
		rows[name] = row
	}
	return rows
}

// noCircle returns the pairs of locks that the page explains.
func noCircle(t *testing.T) map[[2]string]bool {
	t.Helper()
	pairs := map[[2]string]bool{}
	for _, line := range strings.Split(between(t, memoryPage, "<!-- no circle -->", "<!-- end of no circle -->"), "\n") {
		if m := lockReference.FindAllStringSubmatch(line, -1); strings.HasPrefix(line, "| `") && len(m) >= 2 {
			pairs[[2]string{m[0][2] + " " + m[0][1], m[1][2] + " " + m[1][1]}] = true
		}
	}
	return pairs
}

// TestTableOfLocksHasAnOrder: a lock that is taken while another one is held has a greater level in the table.
func TestTableOfLocksHasAnOrder(t *testing.T) {
	rows := lockRows(t)
	for name, row := range rows {
		for _, then := range row.then {
			if to, ok := rows[then]; !ok {
				t.Errorf("%s: the row of %s names %s, which has no row", memoryPage, name, then)
			} else if row.level == 0 || to.level <= row.level {
				t.Errorf("%s: %s of level %d is taken while %s of level %d is held: give it a greater level", memoryPage, then, to.level, name, row.level)
			}
		}
	}
}

// TestLocksAreTakenInOrder: code takes locks in the order of the table. The test follows calls of functions by name,
// not those of interfaces and of function values.
func TestLocksAreTakenInOrder(t *testing.T) {
	rows, except, reported := lockRows(t), noCircle(t), map[[2]string]bool{}
	edges := 0
	for _, tags := range builds {
		fset, packages := typedPackages(t, tags...)
		uses := lockUses(packages)
		all := acquired(uses)
		check := func(from, to string, at token.Pos, by string) {
			pair := [2]string{from, to}
			if edges++; except[pair] || reported[pair] || from == to && rows[from].level == 0 {
				return
			}
			if a, b := rows[from].level, rows[to].level; a == 0 || b <= a {
				reported[pair] = true
				t.Errorf("%s: %s, of level %d in %s, is taken%s while %s, of level %d, is held: change the code, or the levels if nothing takes them in the reverse order",
					fset.Position(at), to, b, memoryPage, by, from, a)
			}
		}
		for _, f := range slices.SortedFunc(maps.Keys(uses), func(a, b *types.Func) int { return strings.Compare(a.FullName(), b.FullName()) }) {
			for _, u := range uses[f] {
				for _, from := range slices.Sorted(maps.Keys(u.state.held)) {
					if u.callee == nil {
						check(from, u.lock, u.at, "")
						continue
					}
					for _, to := range slices.Sorted(maps.Keys(all[u.callee])) {
						if !all[u.callee][to][from] {
							check(from, to, u.at, " by "+u.callee.Name())
						}
					}
				}
			}
		}
	}
	if edges < 100 {
		t.Errorf("%d pairs of locks found in the source, expected at least 100: the test does not follow it any more", edges)
	}
}
