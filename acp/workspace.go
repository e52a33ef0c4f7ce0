package acp

import (
	"context"
	"io"

	"github.com/goacp/goacp/internal/process/collective"
	"github.com/goacp/goacp/internal/structure/workspace"
)

// Workspace is a range of bytes that all ranks share, cut into pieces that lie on
// consecutive ranks. Every rank reads and writes it at any time, like a file by pread and
// pwrite: there is no position, and the ranks that hold the bytes take no part.
//
// Accesses to separate ranges are independent of each other. If two accesses overlap and one of them is a
// write, the bytes they have in common are undefined.
type Workspace struct {
	p *Process
	w *workspace.Workspace
}

// DefaultPieceSize is the default size of a piece of a workspace in bytes, as in the historical library.
// SetWorkspaceParams sets another size.
const DefaultPieceSize = workspace.DefaultPiece

// SetWorkspaceParams sets the layout of the workspaces that are created from now on: pieces of piece bytes,
// the first on start, each further one on the next rank, with rank 0 behind the last. Reset restores the
// default, rank 0 and DefaultPieceSize.
//
// Every rank has to set the same layout; otherwise NewWorkspace fails with ErrDisagree. Fails with
// ErrBadRank, and with ErrBadSize for pieces of no bytes. Local. Does not block. Spec 4.8.5.
func (p *Process) SetWorkspaceParams(start Rank, piece uint64) error {
	return p.lifeError("set workspace parameters", p.workspaces.SetParams(int(start), piece))
}

// NewWorkspace makes a workspace of size bytes, which may be 0. The pieces of a rank lie
// in one block of its heap. The contents are undefined.
//
// If it fails on one rank, it fails on all and takes no memory: with ErrHeapFull if the
// heap of a rank has no room, with ErrDisagree if the ranks have given different sizes or
// parameters, with ErrPeerDead when the run is over. ErrDisagree ends the run if another
// rank has called another collective function. Collective. Blocks until every rank
// has called it. Not for concurrent use. Spec 4.8.2.
func (p *Process) NewWorkspace(size uint64) (*Workspace, error) {
	call := collective.Call{Function: collective.CreateWorkspace}
	w, err := together(p, call, size, func(p *Process) (*workspace.Workspace, error) {
		w, err := p.workspaces.Create(size)
		if err != nil {
			return nil, p.fail(&OpError{Op: "create workspace", Rank: p.Rank(), Size: size, Err: err})
		}
		return w, nil
	})
	if err != nil {
		return nil, err
	}
	return &Workspace{p, w.WithMemory(p.mem)}, nil
}

// WithContext returns the same workspace. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (w *Workspace) WithContext(ctx context.Context) *Workspace {
	p := w.p.WithContext(ctx)
	return &Workspace{p, w.w.WithMemory(p.mem)}
}

// Size returns the bytes of the workspace. Local. Does not block.
func (w *Workspace) Size() uint64 { return w.w.Layout().Size }

// PieceSize returns the bytes of every piece but the last, which may be shorter. Local.
// Does not block.
func (w *Workspace) PieceSize() uint64 { return w.w.Layout().Piece }

// Pieces returns the number of pieces. Local. Does not block.
func (w *Workspace) Pieces() int { return w.w.Layout().Pieces() }

// Piece returns where piece i lies and how many bytes it has. Copies and atomics may use
// the address until the workspace is destroyed. i is 0 … Pieces-1. Local. Does not block.
func (w *Workspace) Piece(i int) (GA, uint64) {
	at, n := w.w.Piece(i)
	return GA(at), n
}

// Read copies size bytes from offset of the workspace on to ga, which may lie on any rank.
// The bytes are there when it returns. GMAs of the caller that are under way are neither
// waited for nor delayed. After an error the bytes at ga are undefined.
//
// Fails with ErrOutOfRange if the bytes are not all in the workspace, with ErrBadAddress,
// with ErrDestroyed, and with ErrPeerDead when the run is over. Any rank. Blocks for one
// round trip, or for none if the memory is on this host. Spec 4.8.4.
func (w *Workspace) Read(ga GA, size, offset uint64) error {
	return w.failed(OpError{Op: "read workspace", Dst: ga, Size: size}, w.w.Read(uint64(ga), size, offset))
}

// Write copies size bytes from ga, which may lie on any rank, to offset of the workspace.
// The workspace has them when it returns; after an error that range of it is undefined.
// Otherwise as Read. Any rank. Blocks as Read does. Spec 4.8.6.
func (w *Workspace) Write(ga GA, size, offset uint64) error {
	return w.failed(OpError{Op: "write workspace", Src: ga, Size: size}, w.w.Write(uint64(ga), size, offset))
}

// ReadAt implements io.ReaderAt. Errors are io.EOF and those of Read. Any rank. Blocks as
// Read does.
func (w *Workspace) ReadAt(b []byte, off int64) (int, error) {
	n, err := w.w.ReadAt(b, off)
	if err == io.EOF {
		return n, err
	}
	return n, w.failed(OpError{Op: "read workspace", Size: uint64(len(b))}, err)
}

// WriteAt implements io.WriterAt. A workspace does not grow: WriteAt fails if the bytes do not fit, and then
// writes nothing. Errors as for Write. Any rank. Blocks as Read does.
func (w *Workspace) WriteAt(b []byte, off int64) (int, error) {
	n, err := w.w.WriteAt(b, off)
	return n, w.failed(OpError{Op: "write workspace", Size: uint64(len(b))}, err)
}

// Destroy frees the memory of the workspace when no rank uses it any more: when all ranks have called
// Destroy.
//
// Fails with ErrDestroyed, with ErrPeerDead when the run is over, and with ErrDisagree, which
// ends the run, if another rank destroys another workspace or does something else. Collective.
// Blocks until every rank has called it. Not for concurrent use. Spec 4.8.3.
func (w *Workspace) Destroy() error {
	_, err := together(w.p, w.w.Destruction(), 0, func(p *Process) (struct{}, error) {
		return struct{}{}, p.lifeError("destroy workspace", w.w.Destroy())
	})
	return err
}

// failed completes e, the description of an operation that failed with err.
func (w *Workspace) failed(e OpError, err error) error {
	if err == nil {
		return nil
	}
	failure := e // so that e need not be on the heap if nothing has failed
	failure.Rank, failure.Err = w.p.Rank(), err
	return w.p.fail(&failure)
}
