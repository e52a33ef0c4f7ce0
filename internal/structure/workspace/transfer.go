package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/router"
)

// Read copies size bytes from offset of the workspace on to address at, which may be of any rank. When it
// returns, all bytes have been copied; after an error they are undefined. Fails with global.ErrOutOfRange,
// global.ErrBadAddress and global.ErrDestroyed. Blocks for one round trip.
func (w *Workspace) Read(at, size, offset uint64) error {
	return w.transfer(memory{at: at}, size, offset, true)
}

// Write copies size bytes from address at, which may be of any rank, to offset of the workspace.
// Otherwise as Read.
func (w *Workspace) Write(at, size, offset uint64) error {
	return w.transfer(memory{at: at}, size, offset, false)
}

// ReadAt implements io.ReaderAt. Errors are io.EOF and those of Read. Blocks as Read does.
func (w *Workspace) ReadAt(b []byte, off int64) (int, error) {
	size, n := w.layout.Size, uint64(len(b))
	switch {
	case off >= 0 && uint64(off) <= size:
		n = min(n, size-uint64(off))
	case off > 0:
		n, off = 0, int64(size) // beyond the end, as at the end
	}
	if err := w.transfer(memory{slice: b}, n, uint64(off), true); err != nil {
		return 0, err
	}
	if n < uint64(len(b)) {
		return int(n), io.EOF
	}
	return len(b), nil
}

// WriteAt implements io.WriterAt. It fails if the bytes do not fit, and then writes nothing. Errors as for
// Write. Blocks as Read does.
func (w *Workspace) WriteAt(b []byte, off int64) (int, error) {
	if err := w.transfer(memory{slice: b}, uint64(len(b)), uint64(off), false); err != nil {
		return 0, err
	}
	return len(b), nil
}

// memory is the other side of a transfer: the bytes of a slice, or the bytes from an address on.
type memory struct {
	at    uint64
	slice []byte
}

// check checks n bytes of u as far as that is possible before the transfer.
func (u memory) check(m *global.Memory, n uint64) error {
	if u.slice != nil {
		return nil
	}
	if n > ga.MaxPos-ga.Pos(u.at) {
		return global.ErrBadAddress // they would reach into the next rank
	}
	return m.Check(u.at)
}

// place finds n bytes of u from offset on.
func (u memory) place(m *global.Memory, offset, n uint64) (router.Location, error) {
	if u.slice != nil {
		return m.Here(u.slice[offset : offset+n]), nil
	}
	return m.Find(u.at+offset, n)
}

// transfer carries out a read or a write.
func (w *Workspace) transfer(u memory, size, offset uint64, read bool) error {
	err := w.usable()
	if err == nil && (offset > w.layout.Size || size > w.layout.Size-offset) {
		err = global.ErrOutOfRange
	}
	if err == nil && size > 0 {
		if err = u.check(w.mem, size); err == nil {
			err = global.Cause(w.move(u, size, offset, read))
		}
	}
	if err != nil {
		err = fmt.Errorf("at offset %d of %d bytes: %w", offset, w.layout.Size, err)
	}
	return err
}

// move carries out a read or a write whose arguments are valid. If its caller returns early, it does not use
// the caller's slice any more.
func (w *Workspace) move(u memory, size, offset uint64, read bool) error {
	if !w.mem.Detaches() {
		return w.carry(w.mem, u, size, offset, read)
	}
	var pieces []uint64 // used by transfers that may outlive their callers
	for i := offset / w.layout.Piece; i <= (offset+size-1)/w.layout.Piece; i++ {
		at, _ := w.Piece(int(i))
		pieces = append(pieces, at)
	}
	private := memory{u.at, bytes.Clone(u.slice)}
	_, err := global.Detached(w.mem, pieces, func(m *global.Memory) (struct{}, error) {
		return struct{}{}, w.carry(m, private, size, offset, read)
	}, nil)
	if err == nil && read {
		copy(u.slice, private.slice)
	}
	return err
}

// carry moves the bytes piece by piece, all at the same time.
func (w *Workspace) carry(m *global.Memory, u memory, size, offset uint64, read bool) error {
	b, piece := m.NewBatch(), w.layout.Piece
	var failed error
	for at := uint64(0); at < size && failed == nil; {
		i, in := (offset+at)/piece, (offset+at)%piece
		from, length := w.Piece(int(i))
		n := min(size-at, length-in)
		if failed = b.WaitCapacity(); failed == nil {
			failed = carryPart(m, b, u, at, ga.Span{GA: from + in, N: n}, read)
		}
		at += n
	}
	return errors.Join(failed, b.Wait())
}

// carryPart begins to move the bytes of a part of a piece, which belong to those of u from at on.
func carryPart(m *global.Memory, b *global.Batch, u memory, at uint64, part ga.Span, read bool) error {
	defer m.Leave(m.Enter())
	user, err := u.place(m, at, part.N)
	if err != nil {
		return err
	}
	piece, err := m.Find(part.GA, part.N)
	if err != nil {
		return err
	}
	dst, src := piece, user
	if read {
		dst, src = user, piece
	}
	m.CountTransfer(m.Member(part.GA), b.Add(dst, src, part.N), part.N)
	return nil
}
