package global_test

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"golang.org/x/sys/unix"
)

// TestReadProcess: a rank reads private memory of another one where it maps that rank.
func TestReadProcess(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, maps func(self, other int) bool) {
		src := bytes.Repeat([]byte{0x5a, 0xc3}, areaBytes/2)
		from := uint64(uintptr(unsafe.Pointer(&src[0])))
		for self, r := range w.Ranks {
			for other := range w.Ranks {
				dst := make([]byte, len(src)+1)
				err := r.Mem.ReadProcess(other, dst[:len(src)], from)
				if self == other || !maps(self, other) {
					if !errors.Is(err, fabric.ErrNoPath) {
						t.Errorf("rank %d reads the process of rank %d: %v", self, other, err)
					}
					continue
				}
				if err != nil || !bytes.Equal(dst, append(bytes.Clone(src), 0)) {
					t.Errorf("rank %d reads the process of rank %d: %v", self, other, err)
				}
				if err := r.Mem.ReadProcess(other, dst, 1); !errors.Is(err, unix.EFAULT) {
					t.Errorf("rank %d reads no memory of rank %d: %v", self, other, err)
				}
			}
		}
	})
}
