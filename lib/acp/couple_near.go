//go:build cgo

package main

// #include "bind.h"
// #include "couple_near.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// nearLinks are the links by which C sends and receives without a call into Go. The zero value has none.
type nearLinks struct {
	mu       sync.Mutex
	byNumber map[C.uintptr_t]*runtime.Pinner
}

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
	if C.goacp_share_link(number, unsafe.Pointer(near)) == 0 {
		pinner.Unpin()
		return
	}
	if n.byNumber == nil {
		n.byNumber = make(map[C.uintptr_t]*runtime.Pinner)
	}
	n.byNumber[number] = pinner
}

// unshare makes C use the link with a number no more. The program does not use it at the same time.
func (n *nearLinks) unshare(number C.uintptr_t) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if pinner := n.byNumber[number]; pinner != nil {
		C.goacp_unshare_link(number)
		pinner.Unpin()
		delete(n.byNumber, number)
	}
}

// unshareAll is unshare for all links.
func (n *nearLinks) unshareAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for number, pinner := range n.byNumber {
		C.goacp_unshare_link(number)
		pinner.Unpin()
	}
	clear(n.byNumber)
}
