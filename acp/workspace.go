package acp

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/collective"
	"github.com/goacp/goacp/internal/global"
	"github.com/goacp/goacp/internal/network"
)

// Workspace is a range of bytes that all ranks share, cut into pieces that lie on
// consecutive ranks. Every rank reads and writes it at any time, like a file by pread and
// pwrite: there is no position, and the ranks that hold the bytes take no part.
//
// Accesses to separate ranges are independent of each other. Of accesses that overlap,
// one of them a write, nothing is known about the bytes they have in common.
type Workspace struct {
	p      *Process
	size   uint64
	first  Rank     // holds piece 0
	piece  uint64   // bytes of every piece but the last
	blocks []uint64 // by rank: position of the block with its pieces
	life   uint64   // of the library, in which it was made
	number uint64   // from 1, the same on all ranks

	destroyed atomic.Bool
}

// DefaultPieceSize is the bytes of a piece of a workspace unless SetWorkspaceParams says
// otherwise; that of the historical library.
const DefaultPieceSize = 0x1048576

// workspaces is what a process knows of workspaces to come.
type workspaces struct {
	mu    sync.Mutex
	first Rank
	piece uint64

	created atomic.Uint64
}

func (s *workspaces) set(first Rank, piece uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first, s.piece = first, piece
}

func (s *workspaces) params() (first Rank, piece uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first, s.piece
}

// SetWorkspaceParams says how the workspaces that are created from now on are laid on the
// ranks: pieces of piece bytes, the first on start, each further one on the next rank, with
// rank 0 behind the last. Reset restores the default, rank 0 and DefaultPieceSize.
//
// Every rank has to say the same; CreateWorkspace finds out if not. Fails with ErrBadRank,
// and with ErrBadSize for pieces of no bytes. Local. Does not block. Spec 4.8.5.
func (p *Process) SetWorkspaceParams(start Rank, piece uint64) error {
	err := p.alive()
	switch {
	case err != nil:
	case start < 0 || int(start) >= p.procs:
		err = ErrBadRank
	case piece == 0:
		err = ErrBadSize
	}
	if err != nil {
		return p.lifeError("set workspace parameters", err)
	}
	p.workspaces.set(start, piece)
	return nil
}

// CreateWorkspace makes a workspace of size bytes, which may be 0. The pieces of a rank lie
// in one block of its heap. The contents are undefined.
//
// If it fails on one rank, it fails on all and takes no memory: with ErrHeapFull if the
// heap of a rank has no room, with ErrDisagree if the ranks have given different sizes or
// parameters, with ErrPeerDead when the run is over. ErrDisagree ends the run if another
// rank has called another collective function. Collective. Blocks until every rank
// has called it. Not for concurrent use. Spec 4.8.2.
func (p *Process) CreateWorkspace(size uint64) (*Workspace, error) {
	w, err := p.createWorkspace(size)
	if err != nil {
		return nil, p.fail(&OpError{Op: "create workspace", Rank: p.Rank(), Size: size, Err: err})
	}
	return w, nil
}

func (p *Process) createWorkspace(size uint64) (*Workspace, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	w := &Workspace{p: p, size: size, life: p.resets.Load(), blocks: make([]uint64, p.procs)}
	w.first, w.piece = p.workspaces.params()
	// A rank that has no room has to tell the others, so it goes on.
	own, failed := w.allocate()
	blobs, err := p.gather(collective.CreateWorkspace, w.offer(own, failed).encode())
	if err == nil {
		err = w.accept(blobs)
	}
	if err == nil {
		w.number = p.workspaces.created.Add(1)
	} else if own != NullGA {
		err = errors.Join(err, p.release(own))
	}
	return w, err
}

// allocate makes the block for the pieces of this rank, if it has any.
func (w *Workspace) allocate() (GA, error) {
	n, ok := w.bytesOn(w.p.Rank())
	switch {
	case !ok:
		return NullGA, ErrHeapFull
	case n == 0:
		return NullGA, nil
	}
	return w.p.allocate(w.p.self, n)
}

// Size returns the bytes of the workspace. Local. Does not block.
func (w *Workspace) Size() uint64 { return w.size }

// PieceSize returns the bytes of every piece but the last, which may be shorter. Local.
// Does not block.
func (w *Workspace) PieceSize() uint64 { return w.piece }

// Pieces returns the number of pieces. Local. Does not block.
func (w *Workspace) Pieces() int {
	if w.size == 0 {
		return 0
	}
	return int((w.size-1)/w.piece + 1)
}

// Piece returns where piece i lies and how many bytes it has. Copies and atomics may use
// the address until the workspace is destroyed. i is 0 … Pieces-1. Local. Does not block.
func (w *Workspace) Piece(i int) (GA, uint64) {
	rank, n := (int(w.first)+i)%w.p.procs, i/w.p.procs
	pos := w.blocks[rank] + uint64(n)*w.slot()
	return makeGA(Rank(rank), pos), w.pieceSize(uint64(i))
}

func (w *Workspace) pieceSize(i uint64) uint64 { return min(w.piece, w.size-i*w.piece) }

// slot is what a piece takes of a block in which others follow: it is aligned as a block
// of its own would be.
func (w *Workspace) slot() uint64 { return (w.piece + 15) &^ 15 }

// bytesOn returns how long the block of rank has to be, and false if no block is so long.
func (w *Workspace) bytesOn(rank Rank) (uint64, bool) {
	if w.size > math.MaxInt64 {
		return 0, false
	}
	procs := uint64(w.p.procs)
	before := (uint64(rank) + procs - uint64(w.first)) % procs // pieces before its first
	if before >= uint64(w.Pieces()) {
		return 0, true
	}
	further := (uint64(w.Pieces()) - 1 - before) / procs
	if further > 0 && further > posMask/w.slot() {
		return 0, false
	}
	return further*w.slot() + w.pieceSize(before+further*procs), true
}

// Read copies size bytes from offset of the workspace on to ga, which may lie on any rank.
// The bytes are there when it returns. GMAs of the caller that are under way are neither
// waited for nor delayed. After an error the bytes at ga are undefined.
//
// Fails with ErrOutOfRange if the bytes are not all in the workspace, with ErrBadAddress,
// with ErrDestroyed, and with ErrPeerDead when the run is over. Any rank. Blocks for one
// round trip, or for none if the memory is on this host. Spec 4.8.4.
func (w *Workspace) Read(ga GA, size, offset uint64) error {
	return w.transfer("read workspace", memory{ga: ga}, size, offset, true)
}

// Write copies size bytes from ga, which may lie on any rank, to offset of the workspace.
// The workspace has them when it returns; after an error that range of it is undefined.
// Otherwise as Read. Any rank. Blocks as Read does. Spec 4.8.6.
func (w *Workspace) Write(ga GA, size, offset uint64) error {
	return w.transfer("write workspace", memory{ga: ga}, size, offset, false)
}

// ReadAt implements io.ReaderAt. Errors are io.EOF and those of Read. Any rank. Blocks as
// Read does.
func (w *Workspace) ReadAt(b []byte, off int64) (int, error) {
	size := uint64(len(b))
	if off >= 0 && uint64(off) <= w.size {
		size = min(size, w.size-uint64(off))
	} else if off > 0 {
		size, off = 0, int64(w.size) // behind the end, as at the end
	}
	if err := w.transfer("read workspace", memory{slice: b}, size, uint64(off), true); err != nil {
		return 0, err
	}
	if size < uint64(len(b)) {
		return int(size), io.EOF
	}
	return len(b), nil
}

// WriteAt implements io.WriterAt. A workspace does not grow: what does not fit is an error
// and nothing is written. Errors as for Write. Any rank. Blocks as Read does.
func (w *Workspace) WriteAt(b []byte, off int64) (int, error) {
	if err := w.transfer("write workspace", memory{slice: b}, uint64(len(b)), uint64(off), false); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Destroy gives the memory of the workspace back when no rank uses it any more, which is
// when all have called Destroy.
//
// Fails with ErrDestroyed, with ErrPeerDead when the run is over, and with ErrDisagree, which
// ends the run, if another rank destroys another workspace or does something else. Collective. Blocks
// until every rank has called it. Not for concurrent use. Spec 4.8.3.
func (w *Workspace) Destroy() error {
	err := w.usable()
	if err == nil {
		err = w.p.meet(collective.Call{Function: collective.DestroyWorkspace, Number: w.number})
	}
	if err == nil {
		w.destroyed.Store(true)
		if own := w.blocks[w.p.Rank()]; own != 0 {
			err = w.p.release(makeGA(w.p.Rank(), own))
		}
	}
	return w.p.lifeError("destroy workspace", err)
}

// usable returns why the workspace cannot be used, or nil.
func (w *Workspace) usable() error {
	err := w.p.alive()
	if err == nil && (w.destroyed.Load() || w.life != w.p.resets.Load()) {
		err = ErrDestroyed
	}
	return err
}

// memory is what a workspace is read to or written from: the bytes of a slice, or those
// at ga on.
type memory struct {
	ga    GA
	slice []byte
}

// check finds out what can be known about n bytes of m before they are used.
func (m memory) check(p *Process, n uint64) error {
	if m.slice != nil {
		return nil
	}
	if n > posMask-m.ga.pos() {
		return ErrBadAddress // they would reach into the next rank
	}
	return p.checkGA(m.ga)
}

// place finds n bytes of m from at on.
func (m memory) place(p *Process, at, n uint64) (network.Place, error) {
	if m.slice != nil {
		return p.net.Here(m.slice[at : at+n]), nil
	}
	return p.find(m.ga+GA(at), n)
}

// transfer carries out a read or a write.
func (w *Workspace) transfer(op string, m memory, size, offset uint64, read bool) error {
	err := w.usable()
	if err == nil && (offset > w.size || size > w.size-offset) {
		err = ErrOutOfRange
	}
	if err == nil && size > 0 {
		if err = m.check(w.p, size); err == nil {
			err = cause(w.carry(m, size, offset, read))
		}
	}
	if err == nil {
		return nil
	}
	e := &OpError{Op: op, Rank: w.p.Rank(), Size: size,
		Err: fmt.Errorf("at offset %d of %d bytes: %w", offset, w.size, err)}
	if read {
		e.Dst = m.ga
	} else {
		e.Src = m.ga
	}
	return w.p.fail(e)
}

// carry moves the bytes piece by piece, all at the same time.
func (w *Workspace) carry(m memory, size, offset uint64, read bool) error {
	b := w.p.mem.NewBatch()
	var failed error
	for at := uint64(0); at < size && failed == nil; {
		i, in := (offset+at)/w.piece, (offset+at)%w.piece
		ga, length := w.Piece(int(i))
		n := min(size-at, length-in)
		if failed = b.Room(); failed == nil {
			failed = w.carryPiece(b, m, at, ga+GA(in), n, read)
		}
		at += n
	}
	return errors.Join(failed, b.Wait())
}

// carryPiece begins to move the n bytes that belong to at of m and to ga.
func (w *Workspace) carryPiece(b *global.Batch, m memory, at uint64, ga GA, n uint64, read bool) error {
	defer w.p.space.Leave(w.p.space.Enter())
	dst, src, err := w.ends(m, at, ga, n, read)
	if err == nil {
		b.Add(dst, src, n)
	}
	return err
}

// ends returns the two ends of the n bytes that belong to at of m and to ga.
func (w *Workspace) ends(m memory, at uint64, ga GA, n uint64, read bool) (dst, src network.Place, err error) {
	user, err := m.place(w.p, at, n)
	if err != nil {
		return dst, src, err
	}
	piece, err := w.p.find(ga, n)
	if read {
		return user, piece, err
	}
	return piece, user, err
}
