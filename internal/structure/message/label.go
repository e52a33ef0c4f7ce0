package message

// Label says for which receive a message is. The receive names the same.
type Label struct {
	World uint64 // the ID of the world; of Ranks, with Group: what the list of ranks has alone
	Group uint64 // the number of the group in the world; 0: all of it
	Use   Use
	Tag   int32
}

// Use tells what messages of one group are for, so that those of one use cannot be taken for
// those of another.
type Use uint8

// The uses.
const (
	Program  Use = iota // messages of the program
	All                 // what all of the group do together
	Node                // what its processes in one domain do together
	Masters             // what the first processes of all domains do together
	Part                // what a run of ranks does together
	Creation            // the numbers of new groups
	Ranks               // what a list of ranks does together, without ARMCI
)
