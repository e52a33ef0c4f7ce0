package meet

import (
	"fmt"

	"github.com/goacp/goacp/internal/acptest/script"
)

// gone ends a member, which has left the run or is lost, at the host and at the registry:
//
//	gone MEMBER [cohort=N]
func (s *stage) gone(a *script.Arguments) string {
	c := callerOf(a, a.Number(a.Next()))
	return text(append(s.host.Gone(c), s.registry.Gone(c)...))
}

// breakShard ends the shard of a link that cannot be opened:
//
//	break [why=TEXT] [id=N]
func (s *stage) breakShard(a *script.Arguments) string {
	return text(s.shards.Break(uint64(a.Value("id", 1)), a.Text("why", "no reason")))
}

// end ends the shard of a link of which all ranks know whether it is opened:
//
//	end [id=N]
func (s *stage) end(a *script.Arguments) string {
	s.shards.End(uint64(a.Value("id", 1)))
	return fmt.Sprintf("%d shards\n", len(s.shards.byID))
}
