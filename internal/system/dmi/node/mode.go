package node

import (
	"fmt"

	"github.com/goacp/goacp/internal/system/dmi/page"
)

// Mode says where the bytes of an access are kept afterwards. It never changes the result.
type Mode int8

// The modes, with the numbers of the C header. The first three are for reads.
//
//goacp:c GOACP_DMI_
const (
	Get        Mode = iota + 1 // nothing is kept
	Invalidate                 // the page is kept here until it changes
	Update                     // the page is kept here, and gets each change
	Put                        // the bytes go to the owner of the page
	Exclusive                  // this process becomes the owner first
)

var modeNames = [...]string{Get: "DMI_GET", Invalidate: "DMI_INVALIDATE", Update: "DMI_UPDATE", Put: "DMI_PUT", Exclusive: "DMI_EXCLUSIVE"}

// String returns the name of the mode in C.
func (m Mode) String() string {
	if m < Get || m > Exclusive {
		return fmt.Sprint(int8(m))
	}
	return modeNames[m]
}

// checkRead returns ErrMode unless m is a mode of reads.
func (m Mode) checkRead() error {
	if m >= Get && m <= Update {
		return nil
	}
	return fmt.Errorf("%w: a read takes DMI_GET, DMI_INVALIDATE or DMI_UPDATE, not %v", ErrMode, m)
}

// checkWrite returns ErrMode unless m is a mode of changes.
func (m Mode) checkWrite() error {
	if m == Put || m == Exclusive {
		return nil
	}
	return fmt.Errorf("%w: a change takes DMI_PUT or DMI_EXCLUSIVE, not %v", ErrMode, m)
}

// copyKind returns the kind of copy that a read with the mode keeps.
func (m Mode) copyKind() page.CopyKind {
	if m == Update {
		return page.Update
	}
	return page.Invalidate
}
