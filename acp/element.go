package acp

// Element is a string of bytes in global memory, as structures take and give them.
type Element struct {
	GA   GA     // on any rank
	Size uint64 // bytes
}

func (e Element) span() span { return span{e.GA, e.Size} }

// Pair is a key and its value in global memory.
type Pair struct {
	First, Second Element
}
