//go:build cgo

package libacp

// #include "bind.h"
// #include "couple_near.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/lookup"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// nearLinks are the links by which C sends and receives without a call into Go, with the memory that is pinned for them.
type nearLinks struct {
	numbered[C.uintptr_t, *runtime.Pinner]
	mu sync.Mutex // held by those that change what C finds
}

// linksForC is where C finds the links.
var linksForC = (*lookup.Table)(unsafe.Pointer(&C.goacp_links))

// share lets C use a link with a number, if it can.
func (n *nearLinks) share(number C.uintptr_t, l *coupledLink) {
	var near *link.Near
	pinner := new(runtime.Pinner)
	switch {
	case l.sender != nil:
		near = l.sender.Share(pinner)
	case l.receiver != nil:
		near = l.receiver.Share(pinner)
	}
	if near == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !linksForC.Enter(uint64(number), unsafe.Pointer(near)) {
		pinner.Unpin()
		return
	}
	n.set(number, pinner)
}

// unshare makes C use the link with a number no more. The program does not use it at the same time.
func (n *nearLinks) unshare(number C.uintptr_t) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if pinner, shared := n.drop(number); shared {
		linksForC.Remove(uint64(number))
		pinner.Unpin()
	}
}

// unshareAll is unshare for all links.
func (n *nearLinks) unshareAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for number, pinner := range n.clear() {
		linksForC.Remove(uint64(number))
		pinner.Unpin()
	}
}
