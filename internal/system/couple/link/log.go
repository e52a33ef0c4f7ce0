package link

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// log writes the result of opening a link: the ranks and amounts of data, or the error.
func (o *opening) log(e *end, err error) {
	if !debuglog.Couple.On() {
		return
	}
	if err != nil {
		debuglog.Couple.Printf("link %s is not opened: %v", o.name, err)
		return
	}
	direction := [...]string{side.Sending: "to", side.Receiving: "from"}[o.side]
	var flows strings.Builder
	bytes := uint64(0)
	for i, f := range e.flows {
		if i > 0 {
			flows.WriteString(", ")
		}
		fmt.Fprintf(&flows, "%d points %s rank %d", f.positions.Len(), direction, o.s.p.Ranks.Rank(f.member))
		bytes += f.size
	}
	if len(e.flows) == 0 {
		flows.WriteString("this rank has no point of it")
	}
	debuglog.Couple.Printf("link %s is open: %d senders, %d receivers, %d levels; this rank holds %d points and moves %d bytes in a step: %s", o.name,
		len(o.members[side.Sending]), len(o.members[side.Receiving]), e.levels, o.layout().Len(), bytes, flows.String())
}
