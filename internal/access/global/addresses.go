package global

// OwnerAddress returns the address that position pos of a member has in the process of that
// member, on whatever host.
func (m *Memory) OwnerAddress(member int, pos uint64) uintptr {
	return uintptr(m.router.Base(member) + pos)
}

// PositionOf returns the position of the n bytes that have an address in the process of a member.
// ok is false unless they are starter memory or heap of that member.
func (m *Memory) PositionOf(member int, addr uintptr, n uint64) (pos uint64, ok bool) {
	pos = uint64(addr) - m.router.Base(member)
	return pos, m.router.Layout(member).Contains(pos, n)
}

// Equal reports whether this process uses the addresses of a member's process for all of the
// starter memory and heap of the member: what OwnerAddress returns can be read and written here,
// until the process is finalized. It maps the memory if it is not mapped yet.
//
// It is false if the member does not share its memory with this process, if the addresses are not
// free here, and if address space is limited (ulimit -v). The answer to another member may be
// another one. Does not wait for the member.
func (m *Memory) Equal(member int) bool {
	if member == m.ranks.Self() {
		return true
	}
	if !m.router.Shares(member) {
		return false
	}
	v, err := m.router.View(member)
	if err != nil || !v.MapAll() {
		return false
	}
	m.Mapped(member, v)
	return true
}
