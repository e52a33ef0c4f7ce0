package node_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/system/dmi/node"
)

// litmus is what four threads of different processes do at the same time in one round, with numbers in pages that grow from round to round.
type litmus struct {
	name    string
	threads [4]func(u *user) error
	wrong   func(r [4][2]uint64, round uint64) bool // what the threads have read
}

// user is a thread in one round.
type user struct {
	node        *node.Node
	base        int64
	write, read node.Mode
	round       uint64
	numbers     [2]uint64 // that it has read
	count       int
	pageSize    int64
}

// set writes the number of the round to a page.
func (u *user) set(page int64) error {
	return u.node.Write(u.base+page*u.pageSize, binary.LittleEndian.AppendUint64(nil, u.round), u.write)
}

// get reads the number of a page.
func (u *user) get(page int64) error {
	b := make([]byte, 8)
	err := u.node.Read(u.base+page*u.pageSize, b, u.read)
	u.numbers[u.count] = binary.LittleEndian.Uint64(b)
	u.count++
	return err
}

func idle(*user) error { return nil }

// litmusTests have outcomes that no order of the accesses explains.
var litmusTests = []litmus{
	{
		name: "store buffering",
		threads: [4]func(u *user) error{
			func(u *user) error { return errors.Join(u.set(0), u.get(1)) },
			func(u *user) error { return errors.Join(u.set(1), u.get(0)) },
			idle, idle,
		},
		wrong: func(r [4][2]uint64, round uint64) bool { return r[0][0] < round && r[1][0] < round },
	},
	{
		name: "message passing",
		threads: [4]func(u *user) error{
			func(u *user) error { return errors.Join(u.set(0), u.set(1)) },
			func(u *user) error { return errors.Join(u.get(1), u.get(0)) },
			func(u *user) error { return errors.Join(u.get(1), u.get(0)) },
			idle,
		},
		wrong: func(r [4][2]uint64, _ uint64) bool { return r[1][1] < r[1][0] || r[2][1] < r[2][0] },
	},
	{
		name: "independent reads of independent writes",
		threads: [4]func(u *user) error{
			func(u *user) error { return u.set(0) },
			func(u *user) error { return u.set(1) },
			func(u *user) error { return errors.Join(u.get(0), u.get(1)) },
			func(u *user) error { return errors.Join(u.get(1), u.get(0)) },
		},
		wrong: func(r [4][2]uint64, _ uint64) bool { return r[2][1] < r[3][0] && r[3][1] < r[2][0] },
	},
	{
		name: "load buffering",
		threads: [4]func(u *user) error{
			func(u *user) error { return errors.Join(u.get(0), u.set(1)) },
			func(u *user) error { return errors.Join(u.get(1), u.set(0)) },
			idle, idle,
		},
		wrong: func(r [4][2]uint64, round uint64) bool { return r[0][0] == round && r[1][0] == round },
	},
	{
		name: "write to read causality",
		threads: [4]func(u *user) error{
			func(u *user) error { return u.set(0) },
			func(u *user) error { // the page 1 gets what it has read of page 0
				err := u.get(0)
				u.round = u.numbers[0]
				return errors.Join(err, u.set(1))
			},
			func(u *user) error { return errors.Join(u.get(1), u.get(0)) },
			idle,
		},
		wrong: func(r [4][2]uint64, _ uint64) bool { return r[2][1] < r[2][0] },
	},
}

// TestLitmus: accesses of several processes to two pages have an order, in all modes. No process sees two of them in other orders than another
// process.
func TestLitmus(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		for _, test := range litmusTests {
			t.Run(test.name, func(t *testing.T) {
				m := &match{litmus: &test}
				m.cond.L = &m.mu
				together(t, len(test.threads), h, 64, 2, m.run)
			})
		}
	})
}

// match lets the threads of all processes carry out the rounds of a litmus test.
type match struct {
	*litmus
	mu      sync.Mutex
	cond    sync.Cond
	arrived int
	passed  int
	wrongs  error
	numbers [4][2]uint64
}

// meet waits until all threads have come to it. The last one calls then, if it is not nil. meet returns what has been wrong so far.
func (m *match) meet(then func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	passed := m.passed
	if m.arrived++; m.arrived == len(m.threads) {
		if then != nil {
			m.wrongs = errors.Join(m.wrongs, then())
		}
		m.arrived = 0
		m.passed++
		m.cond.Broadcast()
	}
	for passed == m.passed {
		m.cond.Wait()
	}
	return m.wrongs
}

// run carries out the part of one process.
func (m *match) run(n *node.Node, base int64) error {
	round := uint64(0)
	for _, write := range changes {
		for _, read := range []node.Mode{node.Get, node.Invalidate, node.Update} {
			for range 40 {
				round++
				if err := m.round(n, base, round, write, read); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// round carries out one round.
func (m *match) round(n *node.Node, base int64, round uint64, write, read node.Mode) error {
	if err := m.meet(nil); err != nil {
		return err
	}
	u := &user{node: n, base: base, write: write, read: read, round: round, pageSize: 64}
	err := m.threads[n.ID()](u)
	m.mu.Lock()
	m.numbers[n.ID()] = u.numbers
	m.wrongs = errors.Join(m.wrongs, err)
	m.mu.Unlock()
	return m.meet(func() error {
		if m.wrong(m.numbers, round) {
			return fmt.Errorf("round %d, writing with %v and reading with %v: the threads read %v", round, write, read, m.numbers)
		}
		return nil
	})
}
