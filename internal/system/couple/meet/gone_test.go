package meet

import "github.com/goacp/goacp/internal/acptest/script"

// gone ends a member, which has left the run or is lost, at the host and at the registry:
//
//	gone MEMBER [cohort=N]
func (s *stage) gone(a *script.Arguments) string {
	c := callerOf(a, a.Number(a.Next()))
	return text(append(s.host.Gone(c), s.registry.Gone(c)...))
}

// breakShard ends the shard of a link of which a member is gone:
//
//	break [id=N]
func (s *stage) breakShard(a *script.Arguments) string {
	return text(s.shards.Break(uint64(a.Value("id", 1))))
}
