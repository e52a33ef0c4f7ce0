// Readmap reads the map that the C program fill.c fills, and changes it.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

// pairs is how many there are.
const pairs = 5000

// place is the struct of fill.c.
type place struct {
	Longitude, Latitude float64
	Number, Rank        int32
}

func main() {
	rank.Main(func(p *acp.Process) error {
		if err := p.Sync(); err != nil { // then the address of the map is in starter memory
			return err
		}
		word := func(i int) uint64 { return binary.NativeEndian.Uint64(p.Starter()[8*i:]) }
		m, err := acp.MapAt[string, place](p, acp.TableAddress{GA: acp.GA(word(0)), Ranks: word(1), Slots: word(2)})
		if err != nil {
			return err
		}
		if err := p.Sync(); err != nil { // then it is filled
			return err
		}
		if err := read(m); err != nil {
			return err
		}
		if int(p.Rank()) == p.Procs()-1 {
			// The other ranks of this job are still reading.
			if added, err := m.Insert("from Go", place{Latitude: 0.5, Number: -1}); err != nil || !added {
				return fmt.Errorf("insertion: %v, %w", added, err)
			}
		}
		return errors.Join(p.Sync(), p.Sync())
	})
}

func read(m *acp.Map[string, place]) error {
	found := 0
	for name, v := range m.All() {
		if name == "from Go" {
			continue
		}
		i, err := strconv.Atoi(strings.TrimPrefix(name, "place "))
		if err != nil || v.Longitude != float64(i)/10 || v.Latitude != -float64(i)/10 || int(v.Number) != i {
			return fmt.Errorf("%q is %+v", name, v)
		}
		found++
	}
	if m.Err() != nil || found != pairs {
		return fmt.Errorf("%d pairs, expected %d, %w", found, pairs, m.Err())
	}
	v, ok, err := m.Load("place 1234")
	if err != nil || !ok || v.Number != 1234 {
		return fmt.Errorf("place 1234 is %+v, %v, %w", v, ok, err)
	}
	return nil
}
