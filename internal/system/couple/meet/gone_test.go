package meet

import "github.com/goacp/goacp/internal/acptest/script"

// gone ends a member, which has left the run or is lost, at the host and at the registry:
//
//	gone MEMBER [cohort=N]
func (s *stage) gone(a *script.Arguments) string {
	member := a.Number(a.Next())
	rank := member + 10 // ranks differ from members
	return text(append(s.host.Gone(member, rank), s.registry.Gone(member, rank, a.Value("cohort", 0))...))
}

// breakShard ends the shard of a link of which a member is gone:
//
//	break [id=N]
func (s *stage) breakShard(a *script.Arguments) string {
	return text(s.shards.Break(uint64(a.Value("id", 1))))
}
