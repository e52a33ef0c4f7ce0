package tcp

import (
	"errors"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

// TestRemoteErrors: errors name the present rank of the member that a reply names.
func TestRemoteErrors(t *testing.T) {
	f := &Transport{cfg: Config{Size: 3, Ranks: func(member int) int { return [...]int{1, 2, 0}[member] }}}
	for _, c := range []struct {
		reply header
		text  string
		want  string
		dead  bool
	}{
		{header{code: uint8(statusPeerDead), member: 2}, "connection lost", "rank 0: as seen by rank 2: connection lost", true},
		{header{code: uint8(statusPeerDead), member: 99}, "connection lost", "rank 2: no rank 99 in a run of 3", false},
		{header{code: uint8(statusPeerDead), member: 1<<32 - 1}, "", "rank 2: no rank 4294967295 in a run of 3", false},
		{header{code: uint8(statusClosed)}, "", "rank 2: the peer has closed its transport", true},
		{header{code: uint8(statusOther)}, "no memory", "rank 2: no memory", false},
	} {
		err := f.remoteError(1, &c.reply, c.text)
		if err.Error() != c.want || errors.Is(err, fabric.ErrPeerDead) != c.dead {
			t.Errorf("status %d of member %d: %v, dead %v; expected %q, %v", c.reply.code, c.reply.member, err, !c.dead, c.want, c.dead)
		}
	}
}
