package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// exploration is a search through all states of a program, those first that take few transitions.
type exploration struct {
	numbers map[key]int32
	before  []int32 // the state from which the search has come to each state
	by      []int16 // the transition
	edges   []edge  // all transitions
	rest    []int32 // states in which nothing happens any more
}

// edge is a transition from one state to another one.
type edge struct{ from, to int32 }

// limit bounds the states of one program.
const limit = 2 << 20

// explore returns the number of states of a program, and what is wrong with one of them, if anything is.
func explore(p *program, f fault) (states int, wrong string) {
	x := &exploration{numbers: make(map[key]int32)}
	first := newModel(p, f)
	x.add(first, -1, 0)
	front := []*model{first}
	for next := int32(0); len(front) > 0; {
		var behind []*model
		for _, m := range front {
			from := next
			next++
			found, wrong := x.follow(m, from)
			if wrong != "" {
				return len(x.before), wrong + x.path(p, f, from)
			}
			behind = append(behind, found...)
		}
		front = behind
		if len(x.before) > limit {
			return len(x.before), "too many states"
		}
	}
	if stuck := x.stuck(); stuck >= 0 {
		return len(x.before), "the operations may go on forever" + x.path(p, f, stuck)
	}
	return len(x.before), ""
}

// add adds a state, unless it is known. It returns its number, and whether it is new.
func (x *exploration) add(m *model, from int32, by int) (int32, bool) {
	k := m.key()
	if n, known := x.numbers[k]; known {
		x.edges = append(x.edges, edge{from, n})
		return n, false
	}
	n := int32(len(x.before))
	x.numbers[k] = n
	x.before, x.by = append(x.before, from), append(x.by, int16(by))
	if from >= 0 {
		x.edges = append(x.edges, edge{from, n})
	}
	return n, true
}

// follow returns the new states that follow from one, or what is wrong.
func (x *exploration) follow(m *model, from int32) (found []*model, wrong string) {
	ways := m.ways()
	if len(ways) == 0 {
		x.rest = append(x.rest, from)
		m.atRest()
		return nil, m.wrong
	}
	for _, way := range ways {
		c := m.clone()
		c.step(way)
		c.check()
		if c.wrong != "" {
			return nil, fmt.Sprintf("%s\nlast: %s", c.wrong, m.describe(way))
		}
		if _, isNew := x.add(c, from, way); isNew {
			found = append(found, c)
		}
	}
	return found, ""
}

// stuck returns a state from which no state follows in which nothing happens any more, or -1.
func (x *exploration) stuck() int32 {
	slices.SortFunc(x.edges, func(a, b edge) int { return int(a.to) - int(b.to) })
	ends, list := make([]bool, len(x.before)), x.rest
	for _, n := range list {
		ends[n] = true
	}
	for len(list) > 0 {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		first, _ := slices.BinarySearchFunc(x.edges, n, func(e edge, to int32) int { return int(e.to) - int(to) })
		for _, e := range x.edges[first:] {
			if e.to != n {
				break
			}
			if !ends[e.from] {
				ends[e.from] = true
				list = append(list, e.from)
			}
		}
	}
	for n, ok := range ends {
		if !ok {
			return int32(n)
		}
	}
	return -1
}

// path returns the transitions to a state.
func (x *exploration) path(p *program, f fault, to int32) string {
	var ways []int
	for n := to; x.before[n] >= 0; n = x.before[n] {
		ways = append([]int{int(x.by[n])}, ways...)
	}
	var b strings.Builder
	m := newModel(p, f)
	for _, way := range ways {
		fmt.Fprintf(&b, "\n%s", m.describe(way))
		m.step(way)
	}
	return " after" + b.String()
}

// ways returns the transitions of a state: the number of a thread, or that of a message behind those of the threads.
func (m *model) ways() []int {
	var ways []int
	for i := range m.threads {
		if m.runnable(i) {
			ways = append(ways, i)
		}
	}
	for i := range m.net {
		ways = append(ways, len(m.threads)+i)
	}
	return ways
}

// step makes a transition.
func (m *model) step(way int) {
	if way < len(m.threads) {
		m.run(way)
	} else {
		m.deliver(way - len(m.threads))
	}
}

// describe says what a transition does.
func (m *model) describe(way int) string {
	if way < len(m.threads) {
		return fmt.Sprintf("  thread %d of process %d, operation %+v, step %d", way, m.process(way), *m.op(way), m.threads[way].step)
	}
	x := m.net[way-len(m.threads)]
	kind := [...]string{"request", "answer", "end of a loan", "message about a copy", "answer about a copy", "owner",
		"owner for a new home", "new home", "answer of a new home", "table"}[x.kind]
	return fmt.Sprintf("  %s from %d to %d: %+v", kind, x.from, x.to, x)
}

// TestExplore explores all orders of messages and steps of small programs. No state contradicts the rules, and all operations end.
func TestExplore(t *testing.T) {
	total, start := 0, time.Now()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			begin := time.Now()
			states, wrong := explore(&p, none)
			t.Logf("%d states in %v", states, time.Since(begin).Round(time.Millisecond))
			total += states
			if wrong != "" {
				t.Error(wrong)
			}
		})
	}
	t.Logf("%d states in %v", total, time.Since(start).Round(time.Millisecond))
}

// TestFaults: the exploration finds each fault.
func TestFaults(t *testing.T) {
	for _, test := range faultTests {
		i := slices.IndexFunc(programs, func(p program) bool { return p.name == test.program })
		states, wrong := explore(&programs[i], test.fault)
		first, _, _ := strings.Cut(wrong, "\n")
		t.Logf("fault %d, %s: %s (%d states)", test.fault, test.program, first, states)
		if !strings.Contains(first, test.want) {
			t.Errorf("fault %d: %q, expected %q", test.fault, first, test.want)
		}
	}
}
