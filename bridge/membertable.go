package bridge

import "iter"

// memberBlock is the number of records of a block.
const memberBlock = 64

// memberTable has a record for each seat. Elastic runs have thousands of seats that no process ever takes, so
// the table allocates the records of a block when one of them is used first.
type memberTable struct {
	n      int
	blocks []*[memberBlock]memberRecord // nil: no record is in use
}

// size returns the number of seats.
func (t *memberTable) size() int { return t.n }

// extend adds n seats that no process may take yet.
func (t *memberTable) extend(n int) {
	t.n += n
	for len(t.blocks)*memberBlock < t.n {
		t.blocks = append(t.blocks, nil)
	}
}

// at returns the record of a member.
func (t *memberTable) at(member int) *memberRecord {
	block := t.blocks[member/memberBlock]
	if block == nil {
		block = new([memberBlock]memberRecord)
		for i := range block {
			block[i].lost = noMember
		}
		t.blocks[member/memberBlock] = block
	}
	return &block[member%memberBlock]
}

// used yields all records that are in use, and some that are not, by member.
func (t *memberTable) used() iter.Seq2[int, *memberRecord] {
	return func(yield func(int, *memberRecord) bool) {
		for b, block := range t.blocks {
			if block == nil {
				continue
			}
			for i := range block[:min(memberBlock, t.n-b*memberBlock)] {
				if !yield(b*memberBlock+i, &block[i]) {
					return
				}
			}
		}
	}
}
