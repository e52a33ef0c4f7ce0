package global

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// ReadProcess copies bytes from an address in the process of another member to b, which is not
// on the stack. It fails with fabric.ErrNoPath unless the kernel lets this process read that
// one, and as the kernel does if the bytes cannot be read. Does not wait for the member.
func (m *Memory) ReadProcess(member int, b []byte, addr uint64) error {
	if !m.router.Shares(member) {
		return fabric.ErrNoPath
	}
	v, err := m.router.View(member)
	if err != nil {
		return fabric.ErrNoPath
	}
	return v.Load(unsafe.Pointer(unsafe.SliceData(b)), addr, uint64(len(b)))
}
