package traffic

// Totals are the sums of all transfers of a process.
type Totals struct {
	Operations uint64 `json:"operations"`
	Bytes      uint64 `json:"bytes"`
	Messages   uint64 `json:"messages"` // of channels that it has sent; they are among Operations
}

// Totals adds the transfers of a snapshot up.
func (s *Snapshot) Totals() (t Totals) {
	for _, x := range s.Transfers {
		t.Operations += x.Operations
		t.Bytes += x.Bytes
		if x.Kind == Message {
			t.Messages += x.Operations
		}
	}
	return t
}
