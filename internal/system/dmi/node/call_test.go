package node_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

// changes are the modes of changes.
var changes = []node.Mode{node.Put, node.Exclusive}

// together opens processes, of which the first one makes a space, and gives each a goroutine that executes body.
func together(t *testing.T, procs int, h hosts, pageSize, pages int64, body func(n *node.Node, base int64) error) {
	t.Helper()
	var base int64
	made := make(chan struct{})
	run(t, procs, h, func(n *node.Node, p *acp.Process) error {
		if n.ID() == 0 {
			var err error
			if base, err = n.Map(pageSize, pages); err != nil {
				return err
			}
			close(made)
		}
		<-made
		return errors.Join(body(n, base), p.Sync())
	})
}

// count is a function of a program: it adds 1 to the number at the beginning of a range, and sets the bytes behind it to the last byte of in.
// out has the old bytes, as often as there is room, and at last the tag.
func count(page, in, out []byte, tag int8) {
	for rest := out; len(rest) > 0; {
		rest = rest[copy(rest, page):]
	}
	if len(out) > 0 {
		out[len(out)-1] = byte(tag)
	}
	binary.LittleEndian.PutUint64(page, binary.LittleEndian.Uint64(page)+1)
	for i := 8; i < len(page); i++ {
		page[i] = in[len(in)-1]
	}
}

// TestCall: threads of several processes call a function of the program with both modes, with few bytes and with many. Each call is atomic.
func TestCall(t *testing.T) {
	const procs, threads, calls = 3, 2, 8
	forEach(t, func(t *testing.T, h hosts) {
		for _, size := range []int64{16, 50000} {
			for _, bytes := range []int{9, 40000} {
				t.Run(fmt.Sprintf("%d bytes with %d", size, bytes), func(t *testing.T) {
					var mu sync.Mutex
					found := map[uint64]bool{}
					together(t, procs, h, size+8, 1, func(n *node.Node, base int64) error {
						n.SetFunction(count)
						return inThreads(threads, func(thread int) error {
							for i := range calls {
								id := byte(1 + (n.ID()*threads+thread)*calls + i)
								old, err := callCount(n, base+8, size, bytes, id, changes[(i+thread)%2])
								if err != nil {
									return err
								}
								mu.Lock()
								again := found[old]
								found[old] = true
								mu.Unlock()
								if again || old >= procs*threads*calls {
									return fmt.Errorf("a call finds %d", old)
								}
							}
							return nil
						})
					})
				})
			}
		}
	})
}

// inThreads runs f in several goroutines, and returns their errors.
func inThreads(threads int, f func(thread int) error) error {
	var all sync.WaitGroup
	errs := make([]error, threads)
	for i := range threads {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// callCount calls count on a range, and returns the number that it has found. The bytes behind that number were set by one other call.
func callCount(n *node.Node, addr, size int64, room int, id byte, mode node.Mode) (uint64, error) {
	in, out := make([]byte, room), bytes.Repeat([]byte{1}, room)
	in[room-1] = id
	if err := n.Call(addr, size, in, out, int8(-id), mode); err != nil {
		return 0, err
	}
	if got := int8(out[room-1]); got != int8(-id) {
		return 0, fmt.Errorf("the function has the tag %d, expected %d", got, int8(-id))
	}
	for i, x := range out[8 : min(int(size), room)-1] {
		if x != out[8] && room > 9 {
			return 0, fmt.Errorf("the function finds %d at byte 8, and %d at byte %d", out[8], x, 8+i)
		}
	}
	return binary.LittleEndian.Uint64(out), nil
}

// TestCallWithoutFunction: Call fails if the program has no function.
func TestCallWithoutFunction(t *testing.T) {
	together(t, 2, everywhere[1], 8, 1, func(n *node.Node, base int64) error {
		for _, mode := range changes {
			if err := n.Call(base, 8, nil, nil, 0, mode); !errors.Is(err, node.ErrNoFunction) {
				return fmt.Errorf("Call with %v: %v", mode, err)
			}
		}
		return nil
	})
}

// TestCallReachesOtherPages: the process holds no locks while the function runs. So a function that reads another page ends.
func TestCallReachesOtherPages(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		together(t, 2, h, 8, 2, func(n *node.Node, base int64) error {
			n.SetFunction(func(page, in, out []byte, tag int8) {
				if err := n.Read(base+8, page, node.Get); err != nil {
					out[0] = 1
				}
			})
			for i, mode := range changes {
				want := []byte{byte(i), byte(n.ID()), 7, 7, 7, 7, 7, 7}
				out := []byte{1}
				if n.ID() == 0 {
					if err := errors.Join(n.Write(base+8, want, changes[1-i]), n.Call(base, 8, nil, out, 0, mode)); err != nil || out[0] != 0 {
						return fmt.Errorf("%v: %v, and %d in the function", mode, err, out[0])
					}
					if err := n.Read(base, out, node.Get); err != nil || out[0] != want[0] {
						return fmt.Errorf("%v: the page has %d (%v)", mode, out[0], err)
					}
				}
			}
			return nil
		})
	})
}

// TestLargeSwaps: threads of several processes swap ranges of more bytes than a message has. No value is lost or torn.
func TestLargeSwaps(t *testing.T) {
	const procs, turns = 3, 10
	forEach(t, func(t *testing.T, h hosts) {
		for _, size := range []int64{40000, 200000} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				var mu sync.Mutex
				left := map[uint64]bool{0: true} // values that were written, and not found
				take := func(old []byte) error {
					value, err := uniform(old)
					mu.Lock()
					defer mu.Unlock()
					if err == nil && !left[value] {
						err = fmt.Errorf("a swap finds %d", value)
					}
					delete(left, value)
					return err
				}
				together(t, procs, h, size+16, 1, func(n *node.Node, base int64) error {
					value, old := make([]byte, size), make([]byte, size)
					for turn := range turns {
						x := uint64(1 + turn*procs + n.ID())
						fill(value, x)
						mu.Lock()
						left[x] = true
						mu.Unlock()
						if err := n.Swap(base+8, value, old, changes[(turn+n.ID())%2]); err != nil {
							return err
						}
						if err := take(old); err != nil {
							return err
						}
					}
					return nil
				})
				if len(left) != 1 {
					t.Errorf("%v are left", left)
				}
			})
		}
	})
}

// TestLargeCompareAndSwap: ranges of many bytes are stored only where the bytes are those that the caller expects. Each process adds
// to a number of which the range is full.
func TestLargeCompareAndSwap(t *testing.T) {
	const procs, turns = 3, 5
	forEach(t, func(t *testing.T, h hosts) {
		for _, size := range []int64{20000, 40000} { // with 20000 bytes, only both values together are too long for a message
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				together(t, procs, h, size+16, 1, func(n *node.Node, base int64) error {
					return addBySwaps(n, base+8, size, turns)
				})
			})
		}
	})
}

// addBySwaps adds 1 several times to the number of which a range is full.
func addBySwaps(n *node.Node, addr, size int64, turns int) error {
	compare, swap := make([]byte, size), make([]byte, size)
	for done, tries := 0, 0; done < turns; tries++ {
		if err := n.Read(addr, compare, []node.Mode{node.Get, node.Update}[tries%2]); err != nil {
			return err
		}
		value, err := uniform(compare)
		if err != nil {
			return err
		}
		fill(swap, value+1)
		swapped, err := n.CompareAndSwap(addr, compare, swap, changes[tries%2])
		if err != nil {
			return err
		}
		if swapped {
			done++
		}
	}
	return nil
}
