package tcp

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// putSelf is Put to this process's own memory, which needs no link.
func (t *Transport) putSelf(pos uint64, src unsafe.Pointer, n uint64) error {
	p, err := t.cfg.Owner.Resolve(pos, n)
	if err != nil {
		return err
	}
	return fabric.Touch(func() { fabric.MoveWords(p, src, n, p) })
}

// getSelf is Get from this process's own memory.
func (t *Transport) getSelf(pos uint64, dst unsafe.Pointer, n uint64) error {
	p, err := t.cfg.Owner.Resolve(pos, n)
	if err != nil {
		return err
	}
	return fabric.Touch(func() { fabric.MoveWords(dst, p, n, p) })
}
