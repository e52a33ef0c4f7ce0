package acp_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// staleUser is one of two ranks. Rank 0 has used a set. Rank 1 has destroyed it since then, and made another
// one at the same address, whose tables lie on the ranks in reverse order.
type staleUser struct {
	p      *member
	shared *staleNews

	s     *acp.Set[int64] // the new set
	other *acp.Set[int64] // a set of rank 0 with the keys 1000 … 1004
	empty *acp.Set[int64]

	turned *acp.Set[int64] // like the new set, with the keys 2000 … 2006
}

// staleNews is the message from rank 1 to rank 0.
type staleNews struct {
	at    acp.TableAddress
	here  int  // keys of the new set on rank 0
	again bool // whether the new set is where the old one was
}

const staleKeys = 100

func newKeys(p *member, ranks []acp.Rank, from, n int) (*acp.Set[int64], error) {
	s, err := acp.NewSet[int64](p.Process, ranks, 8, 1)
	for i := 0; i < n && err == nil; i++ {
		_, err = s.Insert(int64(from + i))
	}
	return s, err
}

// stage runs both ranks until rank 0 has the address of the new set and still caches the directory of the old
// one.
func (u *staleUser) stage() error {
	var old *acp.Set[int64]
	var err error
	if u.p.Rank() == 1 {
		if old, err = newKeys(u.p, []acp.Rank{0, 1}, 0, staleKeys); err != nil {
			return err
		}
		u.shared.at = old.Address()
	}
	if err := u.p.Sync(); err != nil {
		return err
	}
	if u.p.Rank() == 0 {
		u.s = must(acp.SetAt[int64](u.p.Process, u.shared.at))
		if n, err := u.s.LenLocal(); err != nil || n == 0 {
			return fmt.Errorf("%d keys on rank 0: %w", n, err)
		}
		if _, err := u.s.Insert(5000); err != nil { // so that the directory is cached
			return err
		}
		var err1, err2, err3 error
		u.other, err1 = newKeys(u.p, []acp.Rank{0, 1}, 1000, 5)
		u.empty, err2 = newKeys(u.p, []acp.Rank{0, 1}, 0, 0)
		u.turned, err3 = newKeys(u.p, []acp.Rank{1, 0}, 2000, 7)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
	}
	if err := u.p.Sync(); err != nil {
		return err
	}
	if u.p.Rank() == 1 {
		if err := old.Destroy(); err != nil {
			return err
		}
		if u.s, err = newKeys(u.p, []acp.Rank{1, 0}, 0, staleKeys); err != nil {
			return err
		}
		n, err := u.s.LenLocal()
		if err != nil {
			return err
		}
		u.shared.here, u.shared.again = staleKeys-int(n), u.s.Address() == u.shared.at
		u.shared.at = u.s.Address()
	}
	return u.p.Sync()
}

// has checks the number of keys.
func has(s *acp.Set[int64], want int) error {
	if n, err := s.Len(); err != nil || n != want {
		return fmt.Errorf("%d keys, expected %d: %w", n, want, err)
	}
	return nil
}

// TestStaleLocality: operations on the local part of a structure, and on two structures, do not rely on a
// cached directory.
func TestStaleLocality(t *testing.T) {
	for name, op := range map[string]func(u *staleUser, here int) error{
		"clear local": func(u *staleUser, here int) error {
			return errors.Join(u.s.ClearLocal(), has(u.s, staleKeys-here))
		},
		"size local": func(u *staleUser, here int) error {
			n, err := u.s.LenLocal()
			if err == nil && n != here {
				err = fmt.Errorf("%d keys on rank 0, expected %d", n, here)
			}
			return err
		},
		"empty local": func(u *staleUser, here int) error {
			err := u.s.ClearLocal()
			empty, err2 := u.s.EmptyLocal()
			if err = errors.Join(err, err2); err == nil && !empty {
				err = errors.New("not empty")
			}
			return err
		},
		"iterate local": func(u *staleUser, here int) error {
			s := u.s.Bytes()
			it, err1 := s.BeginLocal()
			end, err2 := s.EndLocal()
			err, n := errors.Join(err1, err2), 0
			for ; err == nil && it != end && n <= staleKeys; n++ {
				it, err = s.Next(it)
			}
			if err == nil && n != here {
				err = fmt.Errorf("%d keys on rank 0, expected %d", n, here)
			}
			return err
		},
		"range local": func(u *staleUser, here int) error {
			n := 0
			for range u.s.AllLocal() {
				n++
			}
			if n != here {
				return fmt.Errorf("%d keys on rank 0, expected %d", n, here)
			}
			return u.s.Err()
		},
		"merge local": func(u *staleUser, here int) error {
			return errors.Join(u.other.Bytes().MergeLocal(u.s.Bytes()), has(u.other, 5+here), has(u.s, staleKeys))
		},
		"move local": func(u *staleUser, here int) error {
			return errors.Join(u.other.Bytes().MoveLocal(u.s.Bytes()), has(u.other, 5+here), has(u.s, staleKeys-here))
		},
		"assign local": func(u *staleUser, here int) error {
			return errors.Join(u.other.Bytes().AssignLocal(u.s.Bytes()), has(u.other, here), has(u.s, staleKeys))
		},
		"assign": func(u *staleUser, here int) error {
			return errors.Join(u.s.Assign(u.other), has(u.s, 5), has(u.other, 5))
		},
		"assign nothing": func(u *staleUser, here int) error { return errors.Join(u.s.Assign(u.empty), has(u.s, 0)) },
		"swap": func(u *staleUser, here int) error {
			return errors.Join(u.s.Swap(u.other), has(u.s, 5), has(u.other, staleKeys))
		},
		"swap with": func(u *staleUser, here int) error {
			return errors.Join(u.other.Swap(u.s), has(u.s, 5), has(u.other, staleKeys))
		},
		"destroy": func(u *staleUser, here int) error {
			err := u.s.Destroy()
			if _, gone := u.s.LenLocal(); !errors.Is(gone, acp.ErrDestroyed) {
				return fmt.Errorf("size of the local part of what is destroyed: %v", gone)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
				shared := &staleNews{}
				run(t, n, acp.Config{Mode: mode}, func(p *member) error {
					u := &staleUser{p: p, shared: shared}
					if err := u.stage(); err != nil {
						return err
					}
					if !shared.again {
						return errors.New("the new set is not where the old one was")
					}
					var err error
					if p.Rank() == 0 {
						err = op(u, shared.here)
					}
					return errors.Join(err, p.Sync())
				})
			})
		})
	}
}

// TestNewDirectory: a rank that makes a new directory drops the directory that it has cached for the same
// address.
func TestNewDirectory(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		shared := &staleNews{}
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			u := &staleUser{p: p, shared: shared}
			if err := u.stage(); err != nil {
				return err
			}
			if p.Rank() == 1 {
				if err := u.s.Destroy(); err != nil {
					return err
				}
			}
			if err := p.Sync(); err != nil || p.Rank() == 1 {
				return errors.Join(err, p.Sync())
			}
			// The empty copies have their directory where that of the old set was.
			err := errors.Join(u.turned.Assign(u.empty), has(u.turned, 0), u.turned.Assign(u.other), has(u.turned, 5))
			return errors.Join(err, p.Sync())
		})
	})
}

// TestMoveAgainstStores: a pair that another rank stores while the pairs of a map move is in one of the two
// maps afterwards.
func TestMoveAgainstStores(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		const keys, rounds = 300, 20
		var at [2]acp.TableAddress
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 0 {
				from, err1 := acp.NewMap[int64, string](p.Process, []acp.Rank{0, 1}, 16, 1)
				to, err2 := acp.NewMap[int64, string](p.Process, []acp.Rank{1, 0}, 16, 1)
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				at = [2]acp.TableAddress{from.Address(), to.Address()}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			from := must(acp.MapAt[int64, string](p.Process, at[0]))
			to := must(acp.MapAt[int64, string](p.Process, at[1]))
			for round := range rounds {
				if err := moveAgainstStores(p, from, to, keys, round); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
			}
			return nil
		})
	})
}

// moveAgainstStores lets rank 1 store while rank 0 moves.
func moveAgainstStores(p *member, from, to *acp.Map[int64, string], keys, round int) error {
	older := func(i int) string { return fmt.Sprintf("%d of round %d", i, round) }
	newer := func(i int) string { return older(i) + fmt.Sprintf(", newer %*d", i%20, i) }
	store := func(value func(int) string) error {
		for i := range keys {
			if _, err := from.Store(int64(i), value(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if p.Rank() == 1 {
		if err := store(older); err != nil {
			return err
		}
	}
	if err := p.Sync(); err != nil {
		return err
	}
	var err error
	if p.Rank() == 0 {
		err = to.Move(from)
	} else {
		err = store(newer)
	}
	if err = errors.Join(err, p.Sync()); err != nil || p.Rank() == 0 {
		return errors.Join(err, p.Sync())
	}
	for i := range keys {
		a, _, err1 := from.Load(int64(i))
		b, _, err2 := to.Load(int64(i))
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if last := newer(i); a != last && b != last {
			return fmt.Errorf("the last value of key %d is lost: %q and %q", i, a, b)
		}
	}
	return errors.Join(from.Clear(), to.Clear(), p.Sync())
}
