//go:build amd64 && !race

package segment

// The processor keeps the order of stores, and the changes of the sequence number around them are barriers. So what moves
// needs no atomic stores, of which each takes as long as many plain ones.

// moveEntries moves as many entries as to has from the beginning of from, while readers ignore what they find. The two
// may overlap.
func moveEntries(to, from []entry) { copy(to, from[:len(to)]) }

// moveLeaves is moveEntries for leaves.
func moveLeaves(to, from []leaf) { copy(to, from[:len(to)]) }
