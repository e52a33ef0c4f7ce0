//go:build cgo

package announce

// #include "announce.h"
import "C"

// The linker takes announce.c from an archive only if something calls a function of it.
func init() { C.goacp_announce() }
