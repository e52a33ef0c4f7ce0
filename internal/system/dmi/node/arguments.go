package node

import "github.com/goacp/goacp/internal/system/dmi/address"

// CheckRead returns the error that Read would return for its arguments, as far as this process knows the space of the address. A function that
// starts an access calls it. Does not block.
func (n *Node) CheckRead(addr, size int64, mode Mode) error {
	if err := mode.checkRead(); err != nil {
		return err
	}
	_, _, err := n.checkKnown(addr, size)
	return err
}

// CheckWrite is CheckRead for Write.
func (n *Node) CheckWrite(addr, size int64, mode Mode) error {
	if err := mode.checkWrite(); err != nil {
		return err
	}
	_, _, err := n.checkKnown(addr, size)
	return err
}

// CheckModify is CheckRead for CompareAndSwap, Swap and FetchAdd.
func (n *Node) CheckModify(addr, size int64, mode Mode) error {
	if size == 0 {
		return n.CheckWrite(addr, size, mode)
	}
	return n.checkChange(addr, size, mode)
}

// checkChange is CheckRead for changes of one page.
func (n *Node) checkChange(addr, size int64, mode Mode) error {
	if err := mode.checkWrite(); err != nil {
		return err
	}
	s, offset, err := n.checkKnown(addr, size)
	if s == nil {
		return err
	}
	return s.checkPage(offset, size)
}

// CheckCall is CheckRead for Call.
func (n *Node) CheckCall(addr, size int64, mode Mode) error {
	if n.function.Load() == nil {
		return ErrNoFunction
	}
	return n.checkChange(addr, size, mode)
}

// CheckWatch is CheckRead for Watch.
func (n *Node) CheckWatch(addr, size int64) error {
	_, _, err := n.checkKnown(addr, size)
	return err
}

// CheckMap is CheckRead for Map.
func CheckMap(pageSize, pages int64) error {
	if pageSize < 1 || pages < 1 || pages > address.MaxSize/pageSize {
		return sizeError(pageSize, pages)
	}
	return nil
}

// CheckUnmap is CheckRead for Unmap.
func (n *Node) CheckUnmap(addr int64) error {
	s, offset, err := n.checkKnown(addr, 0)
	if s == nil {
		return err
	}
	return s.checkEnd(offset, false)
}

// checkKnown is check where this process knows the space. Otherwise it returns no space, and an error if none can have the address.
func (n *Node) checkKnown(addr, size int64) (*space, int64, error) {
	base, offset, ok := address.Split(addr)
	if !ok {
		return nil, 0, spaceError(addr)
	}
	s := n.loaded(base)
	if s == nil {
		return nil, 0, nil
	}
	if offset > s.size {
		return nil, 0, spaceError(addr)
	}
	if err := s.checkRange(offset, size); err != nil {
		return nil, 0, err
	}
	return s, offset, nil
}
