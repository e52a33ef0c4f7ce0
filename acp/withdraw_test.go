package acp_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// TestUnregisterEndsAccess: two ranks write to and read from registered memory of a third one, directly and
// through each other, while the third rank unregisters it. Afterwards the memory no longer changes, and may
// be unmapped.
func TestUnregisterEndsAccess(t *testing.T) {
	const size = 24 << 20
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		mem := foreign(t, size)
		gas := make([]acp.GA, n)
		var begun [3]chan struct{}
		for i := range begun {
			begun[i] = make(chan struct{})
		}
		run(t, n, acp.Config{Mode: mode, StarterSize: size}, func(p *member) error {
			start := unsafe.Pointer(&mem[0])
			var key acp.Key
			if p.Rank() == 0 {
				key = must(p.Register(mem, 0))
				gas[0] = must(p.QueryGA(key, start))
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() != 0 {
				for i := range p.Starter() {
					p.Starter()[i] = 1
				}
				if err := untilGone(p, gas[0], size, begun[p.Rank()]); err != nil {
					return err
				}
				return p.Sync()
			}
			<-begun[1]
			<-begun[2]
			if err := p.Unregister(key); err != nil {
				return err
			}
			clear(mem)
			// Every access takes less time than this many system calls.
			for range 2000 {
				unix.Getppid()
				for _, at := range []int{0, 1, size / 2, size - 1} {
					if mem[at] != 0 {
						return fmt.Errorf("byte %d was written after the memory was unregistered", at)
					}
				}
			}
			for i, b := range mem {
				if b != 0 {
					return fmt.Errorf("byte %d was written after the memory was unregistered", i)
				}
			}
			if err := unix.Mprotect(mem, unix.PROT_NONE); err != nil {
				return err
			}
			err := p.Sync()
			return errors.Join(err, unix.Mprotect(mem, unix.PROT_READ|unix.PROT_WRITE))
		})
	})
}

// untilGone copies to and from the size bytes at ga until that fails with ErrBadAddress. It
// closes begun after the first round.
func untilGone(p *member, ga acp.GA, size uint64, begun chan struct{}) error {
	own := must(p.StarterGA(p.Rank()))
	other := must(p.StarterGA(3 - p.Rank()))
	for round := 0; ; round++ {
		var last acp.Handle
		for _, c := range [][2]acp.GA{{ga, own}, {own, ga}, {ga, other}, {ga + 4096, own}} {
			h, err := p.Copy(c[0], c[1], size-4096, acp.HandleNull)
			if err != nil {
				return err
			}
			last = h
		}
		if err := p.Complete(last); errors.Is(err, acp.ErrBadAddress) {
			if round == 0 {
				return fmt.Errorf("gone before the first round: %w", err)
			}
			return nil
		} else if err != nil {
			return err
		}
		if round == 0 {
			close(begun)
		}
	}
}

// TestUnmappedMemory lets a rank use memory that its owner has unmapped and not unregistered. The accessing
// rank gets an error; the owner continues.
func TestUnmappedMemory(t *testing.T) {
	const size = 64 << 10
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		mem := foreign(t, size)
		var gone acp.GA
		run(t, n, acp.Config{Mode: mode, StarterSize: size}, func(p *member) error {
			if p.Rank() == 0 {
				gone = must(p.QueryGA(must(p.Register(mem, 0)), unsafe.Pointer(&mem[0])))
				if err := unix.Mprotect(mem, unix.PROT_NONE); err != nil {
					return err
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() == 1 {
				if err := useUnmapped(p, gone, size); err != nil {
					return err
				}
			}
			if p.Rank() == 0 && mode == bridge.ModeTCP {
				if err := useOwnUnmapped(p, gone); err != nil {
					return err
				}
			}
			err := p.Sync()
			if p.Rank() == 0 {
				err = errors.Join(err, unix.Mprotect(mem, unix.PROT_READ|unix.PROT_WRITE))
			}
			return err
		})
	})
}

// useOwnUnmapped copies words between memory of another rank and own memory that is not there, on
// the goroutine that has completed the copy before.
func useOwnUnmapped(p *member, gone acp.GA) error {
	own, there := must(p.StarterGA(0)), must(p.StarterGA(1))
	for name, do := range map[string]func(order acp.Handle) (acp.Handle, error){
		"put":    func(order acp.Handle) (acp.Handle, error) { return p.Copy(there, gone, 8, order) },
		"get":    func(order acp.Handle) (acp.Handle, error) { return p.Copy(gone, there, 8, order) },
		"atomic": func(order acp.Handle) (acp.Handle, error) { return p.Add8(gone, there, 1, order) },
	} {
		first, err := p.Copy(there, own, 1000, acp.HandleNull)
		if err != nil {
			return err
		}
		h, err := do(first)
		if err == nil {
			err = p.Complete(h)
		}
		if !errors.Is(err, acp.ErrBadAddress) {
			return fmt.Errorf("%s: %w, want ErrBadAddress", name, err)
		}
	}
	return nil
}

func useUnmapped(p *member, gone acp.GA, size uint64) error {
	own, owner, third := must(p.StarterGA(1)), must(p.StarterGA(0)), must(p.StarterGA(2))
	for name, do := range map[string]func() (acp.Handle, error){
		"small put":     func() (acp.Handle, error) { return p.Copy(gone, own, 8, acp.HandleNull) },
		"put":           func() (acp.Handle, error) { return p.Copy(gone, own, 1000, acp.HandleNull) },
		"long put":      func() (acp.Handle, error) { return p.Copy(gone, own, size, acp.HandleNull) },
		"small get":     func() (acp.Handle, error) { return p.Copy(own, gone, 8, acp.HandleNull) },
		"long get":      func() (acp.Handle, error) { return p.Copy(own, gone, size, acp.HandleNull) },
		"atomic":        func() (acp.Handle, error) { return p.Add8(own, gone, 1, acp.HandleNull) },
		"copy away":     func() (acp.Handle, error) { return p.Copy(third, gone, size, acp.HandleNull) },
		"word away":     func() (acp.Handle, error) { return p.Copy(third, gone, 8, acp.HandleNull) },
		"copy there":    func() (acp.Handle, error) { return p.Copy(gone, third, size, acp.HandleNull) },
		"copy at owner": func() (acp.Handle, error) { return p.Copy(owner, gone, size, acp.HandleNull) },
		"the other way": func() (acp.Handle, error) { return p.Copy(gone, owner, size, acp.HandleNull) },
	} {
		h, err := do()
		if err == nil {
			err = p.Complete(h)
		}
		if !errors.Is(err, acp.ErrBadAddress) {
			return fmt.Errorf("%s: %w, want ErrBadAddress", name, err)
		}
	}
	return nil
}
