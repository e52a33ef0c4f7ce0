// Package together lets the ranks of a run share the work of making weights.
package together

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/weights"
)

// ErrRank: another rank has failed.
var ErrRank = errors.New("no weights of another rank")

// Make is weights.Make by several ranks, each of which makes some of the rows. The ranks are those of a list, each once, and all
// of them call it with the same list, grids and options. The first one gets the matrix, and the others nil. Fails as weights.Make does, with
// acp.ErrBadRank if the caller is not in the list, and at the first rank with ErrRank and the reasons of the others. Blocks until the first rank has
// the rows of all.
func Make(ctx context.Context, p *acp.Process, ranks []acp.Rank, from, to *weights.Grid, o weights.Options) (*weights.Matrix, error) {
	p = p.WithContext(ctx)
	place := slices.Index(ranks, p.Rank())
	if place < 0 {
		return nil, fmt.Errorf("%w: rank %d is not one of the %d ranks that make weights", acp.ErrBadRank, p.Rank(), len(ranks))
	}
	mine := o
	mine.Rows = share(o.Rows, to.Len(), place, len(ranks))
	part, err := weights.MakePart(from, to, mine)
	if place > 0 {
		return nil, errors.Join(err, send(p, ranks[0], part, err))
	}
	parts := [][]byte{part}
	// The first rank receives from all, also if it has failed: so none of them waits for it.
	for _, rank := range ranks[1:] {
		part, failed := receive(p, rank)
		parts, err = append(parts, part), errors.Join(err, failed)
	}
	if err != nil {
		return nil, err
	}
	return weights.Join(from, to, o, parts...)
}

// rowsAtOnce is how many neighbouring rows one rank makes. Cells near each other have similar costs, and many may be masked.
const rowsAtOnce = 256

// share returns the rows that one of several ranks makes, of those in a list, or of all n.
func share(rows []int, n, place, ranks int) []int {
	if rows != nil {
		n = len(rows)
	}
	some := []int{}
	for first := place * rowsAtOnce; first < n; first += ranks * rowsAtOnce {
		for i := first; i < min(first+rowsAtOnce, n); i++ {
			if rows == nil {
				some = append(some, i)
			} else {
				some = append(some, rows[i])
			}
		}
	}
	return some
}

// send sends the part of this rank, or why there is none: the sizes of both, and then both.
func send(p *acp.Process, to acp.Rank, part []byte, failed error) error {
	c, err := p.NewChannel(p.Rank(), to, acp.ChannelOptions{})
	if err != nil {
		return err
	}
	text := ""
	if failed != nil {
		text = failed.Error()
	}
	sizes := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	sizes = binary.LittleEndian.AppendUint64(sizes, uint64(len(part)))
	for _, b := range [][]byte{sizes, []byte(text), part} {
		request, err := c.Send(b)
		if err == nil {
			_, err = request.Wait()
		}
		if err != nil {
			return errors.Join(err, c.Close())
		}
	}
	return c.Close()
}

// receive receives the part of another rank. Fails with its reason if it has none.
func receive(p *acp.Process, from acp.Rank) ([]byte, error) {
	c, err := p.NewChannel(from, p.Rank(), acp.ChannelOptions{})
	if err != nil {
		return nil, err
	}
	next := func(n uint64) []byte {
		if err != nil {
			return nil
		}
		b := make([]byte, n)
		request, failed := c.Recv(b)
		if err = failed; err == nil {
			_, err = request.Wait()
		}
		return b
	}
	sizes := next(16)
	var text, part []byte
	if err == nil {
		text, part = next(binary.LittleEndian.Uint64(sizes)), next(binary.LittleEndian.Uint64(sizes[8:]))
	}
	if err = errors.Join(err, c.Close()); err == nil && len(text) > 0 {
		err = fmt.Errorf("%w: rank %d: %s", ErrRank, from, text)
	}
	return part, err
}
