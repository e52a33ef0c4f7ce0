package survey

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// takesPart is the state of a process of DMI that takes part, as dmi_api.h numbers it.
const takesPart = 2

// dmiStates are the states of processes of DMI that nothing has asked to leave, by their numbers in dmi_api.h.
var dmiStates = map[uint32]string{1: "asks to join", takesPart: "takes part"}

// WriteNodes writes a table with a line for each process of a run of DMI, and why others are missing. asked reports whether a rank is asked
// to leave.
func (r *Run) WriteNodes(to io.Writer, asked func(rank int) bool) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "id\tstate\thost\tprocessors\tpool\tused")
	for i := range r.Ranks {
		x := &r.Ranks[i]
		if x.Seen == nil || x.Seen.DMI == nil {
			continue
		}
		share := x.Seen.DMI
		state := dmiStates[share.State]
		if asked(x.Rank) {
			state = "asks to leave"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t%s\n", x.Rank, state, dash(x.Host), share.Cores, Bytes(share.Pool), Bytes(share.Used))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, line := range r.Unheard {
		if _, err := fmt.Fprintln(to, line); err != nil {
			return err
		}
	}
	return nil
}
