package activity

import "sync/atomic"

// Share is the part of a process in a run of DMI. It is zero in other runs.
type Share struct {
	State uint32 `json:"state"` // as in dmi_api.h; 0: none
	Cores uint32 `json:"cores"` // processors of the host
	Pool  uint64 `json:"pool"`  // bytes that the process lends
	Used  uint64 `json:"used"`  // bytes of pages in them
}

// SetShare shows what the process lends to its run. Does not block.
func (p *Page) SetShare(cores int, pool uint64) {
	if p != nil {
		share := &p.head().share
		atomic.StoreUint32(&share.Cores, uint32(cores))
		atomic.StoreUint64(&share.Pool, pool)
	}
}

// SetState shows the state of the process in a run of DMI. Does not block.
func (p *Page) SetState(state uint32) {
	if p != nil {
		atomic.StoreUint32(&p.head().share.State, state)
	}
}

// Use adds to the bytes of pages of DMI. Does not block.
func (p *Page) Use(bytes int64) {
	if p != nil {
		atomic.AddUint64(&p.head().share.Used, uint64(bytes))
	}
}
