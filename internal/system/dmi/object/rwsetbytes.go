package object

// A read-write-set, in bytes:
//
//	 0  mark
//	 4  how many regions
//	 8  how many elements
//	16  the size of an element
//	24  the directory
//	32  the table of regions
//
// The directory and the table are spaces of their own. Their pages, and so the messages for them, spread over the
// processes. An entry of the directory has the writer of an element: 1 plus the region, and the index in the region. An
// entry of the table is a region.

const (
	// setOut is the size of a result with a set: status in place of the mark, and what follows the mark.
	setOut = 40

	// Pages of the directory.
	directoryPage = 16 << 10
	writerBytes   = 8
	writersOfPage = directoryPage / writerBytes
	claimHead     = 4 // the region, 1 more
	claimBytes    = 8 // number of the entry in the page, index
	claimOut      = 12

	// Pages of the table.
	tablePage     = 4 << 10
	regionBytes   = 32
	regionsOfPage = tablePage / regionBytes
)

// set is what a read-write-set is.
type set struct {
	regions          int
	elements, size   int64
	directory, table int64
}

func setAt(b []byte) set {
	return set{int(int32(word(b, 4))), double(b, 8), double(b, 16), double(b, 24), double(b, 32)}
}

func (s *set) put(b []byte) {
	setWord(b, 4, uint32(s.regions))
	setDouble(b, 8, s.elements)
	setDouble(b, 16, s.size)
	setDouble(b, 24, s.directory)
	setDouble(b, 32, s.table)
}

// region returns the address of the entry of a region.
func (s *set) region(i int) int64 { return s.table + int64(i)*regionBytes }

// initRWSet makes the set of the input.
func initRWSet(b, in, _ []byte) {
	initialise(b, rwsetKind)
	copy(b[4:], in[4:])
}

// checkRWSet returns the set.
func checkRWSet(b, _, out []byte) { copy(out[4:], b[4:setOut]) }

// destroyRWSet ends the set, and returns what it was.
func destroyRWSet(b, in, out []byte) {
	checkRWSet(b, in, out)
	clear(b)
}

// region is an entry of the table: the values of a region, in the order of its list of elements, and that list, each
// in a space of one page.
type region struct {
	values, list int64  // the spaces; 0: the region writes no elements
	count        uint32 // how many elements
	turn         uint32 // how often the region has been decomposed
	busy         bool   // it is being decomposed
}

func regionAt(b []byte) region {
	return region{double(b, 0), double(b, 8), word(b, 16), word(b, 20), b[24] != 0}
}

func (r *region) put(b []byte) {
	setDouble(b, 0, r.values)
	setDouble(b, 8, r.list)
	setWord(b, 16, r.count)
	setWord(b, 20, r.turn)
	b[24] = asByte(r.busy)
}

// beginRegion returns a region, and notes that it is being decomposed. The status is locked if it is already.
func beginRegion(b, _, out []byte) {
	if b[24] != 0 {
		out[0] = byte(locked)
		return
	}
	copy(out[4:], b)
	b[24] = 1
}

// endRegion stores the region of the input.
func endRegion(b, in, _ []byte) { copy(b, in[4:]) }

// claimElements makes a region the writer of elements of a page of the directory. If one of them has another writer, the
// status is mismatch, the result has the number of the entry in the page and the other region, and nothing changes.
func claimElements(b, in, out []byte) {
	if !claims(b, in) {
		out[0] = byte(outOfRange)
		return
	}
	mine := word(in, 0)
	for at := claimHead; at < len(in); at += claimBytes {
		entry := word(in, at)
		if writer := word(b, int(entry)*writerBytes); writer != 0 && writer != mine {
			out[0] = byte(mismatch)
			setWord(out, 4, entry)
			setWord(out, 8, writer-1)
			return
		}
	}
	for at := claimHead; at < len(in); at += claimBytes {
		entry := int(word(in, at)) * writerBytes
		setWord(b, entry, mine)
		setWord(b, entry+4, word(in, at+4))
	}
}

// dropElements takes elements from their writer, unless they have another index or writer now.
func dropElements(b, in, out []byte) {
	if !claims(b, in) {
		out[0] = byte(outOfRange)
		return
	}
	for at := claimHead; at < len(in); at += claimBytes {
		entry := int(word(in, at)) * writerBytes
		if word(b, entry) == word(in, 0) && word(b, entry+4) == word(in, at+4) {
			clear(b[entry : entry+writerBytes])
		}
	}
}

// claims reports whether in has claims on entries of the page b.
func claims(b, in []byte) bool {
	if len(in) < claimHead || (len(in)-claimHead)%claimBytes != 0 {
		return false
	}
	for at := claimHead; at < len(in); at += claimBytes {
		if int64(word(in, at)) >= int64(len(b)/writerBytes) {
			return false
		}
	}
	return true
}
