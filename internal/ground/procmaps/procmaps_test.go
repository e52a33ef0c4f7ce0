package procmaps

import (
	"os"
	"testing"
	"unsafe"
)

const maps = `55d0c0000000-55d0c0001000 r--p 00000000 fe:00 1 /home/u/my model
55d0c0001000-55d0c0005000 r-xp 00001000 fe:00 1 /home/u/my model
7ffc0000000-7ffc0001000 r-xp 00000000 00:00 0 [vdso]
7ffd0000000-7ffd0001000 r-xp 00000000 00:00 0
damaged
zz-7ffd0001000 r-xp 00000000 00:00 0 /x
`

func TestFindCode(t *testing.T) {
	for address, want := range map[uint64]Mapping{
		0x55d0c0000fff: {},
		0x55d0c0001000: {0x55d0c0001000, 0x55d0c0005000, 0x1000, "/home/u/my model"},
		0x55d0c0004fff: {0x55d0c0001000, 0x55d0c0005000, 0x1000, "/home/u/my model"},
		0x55d0c0005000: {},
		0x7ffd0000000:  {},
	} {
		got, ok := FindCode(maps, address)
		if ok != (want.Path != "") || ok && got != want {
			t.Errorf("%#x: %+v, %v, expected %+v", address, got, ok, want)
		}
	}
	if m, ok := FindCode(maps, 0x7ffc0000000); ok {
		t.Errorf("[vdso] is %+v, which is no file", m)
	}
}

// TestOwn finds the program of the test.
func TestOwn(t *testing.T) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	f := TestOwn
	code := **(**uint64)(unsafe.Pointer(&f))
	exe, err := os.Readlink("/proc/self/exe")
	if m, ok := FindCode(string(text), code); err != nil || !ok || m.Path != exe {
		t.Errorf("%+v, %v, expected %s, %v", m, ok, exe, err)
	}
}
