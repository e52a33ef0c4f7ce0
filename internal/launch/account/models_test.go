package account

import (
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
)

// TestModels: the table has for each model how long its ranks have computed and waited, and the remark says how ranks would be
// shared out. Ranks 0 and 1 are of the ocean, which has two links, and ranks 2 and 3 of the ice. Rank 3 was killed.
func TestModels(t *testing.T) {
	r := unbalanced()
	end := func(name string, receives bool, begun, ended, waited time.Duration) traffic.Link {
		l := traffic.Link{Name: name, Receives: receives, Begun: r.Began.Add(begun).UnixNano(), Waited: waited}
		if ended > 0 {
			l.Ended = r.Began.Add(ended).UnixNano()
		}
		return l
	}
	const second = time.Second
	r.Ranks[0].Counted.Links = []traffic.Link{end("ocean.x>ice.y", false, 2*second, 12*second, second), end("ice.z>ocean.w", true, 3*second, 0, 6*second)}
	r.Ranks[1].Counted.Links = []traffic.Link{end("ocean.x>ice.y", false, 2*second, 11*second, 0), end("ice.z>ocean.w", true, 3*second, 12*second, 5*second)}
	r.Ranks[2].Counted.Links = []traffic.Link{end("ocean.x>ice.y", true, 4*second, 0, second), end("ice.z>ocean.w", false, 2*second, 0, 0)}
	var text strings.Builder
	if err := r.writeModels(&text); err != nil {
		t.Fatal(err)
	}
	const want = `model  link           computes  waits   share  most
ice    all            9.0 s     1.0 s   10 %   10 %, rank 2
ice    ocean.x>ice.y            1.0 s   10 %   
ice    ice.z>ocean.w            0 ms    0.0 %  
ocean  all            4.0 s     6.0 s   60 %   70 %, rank 0
ocean  ice.z>ocean.w            5.5 s   55 %   
ocean  ocean.x>ice.y            500 ms  5.0 %  
`
	if text.String() != want {
		t.Errorf("the table is\n%s\nexpected\n%s", text.String(), want)
	}
	const advice = "ice computes 9.0 s, ocean computes 8.0 s, on all of its ranks; if the models scale well, 2 ranks for ice and 1 rank for ocean balance them"
	if got := r.sharing(); got != advice {
		t.Errorf("%q, expected %q", got, advice)
	}
	r.Ranks[2].Counted.Links[1].Waited = 5 * second
	if got := r.sharing(); got != "" {
		t.Errorf("%q of models that wait in turn", got)
	}
	r.Ranks[0].Counted.Links, r.Ranks[1].Counted.Links = nil, nil
	if got := r.sharing(); got != "" {
		t.Errorf("%q of one model", got)
	}
	r.Ranks[2].Counted.Links = nil
	text.Reset()
	if err := r.writeModels(&text); err != nil || text.Len() > 0 {
		t.Errorf("%v, a run without models has %q", err, text.String())
	}
}
