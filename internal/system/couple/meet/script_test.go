package meet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/script"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// TestScripts plays the scripts in testdata. The functions of commands describe the commands.
func TestScripts(t *testing.T) { script.Play(t, newStage, commands) }

// stage is the machines of one script, and the defaults of its commands.
type stage struct {
	host     *Host
	registry *Registry
	shards   *Shards
	members  [2][]int // of each side
	link     string
	id       uint64 // of the link that was agreed on last
}

func newStage() *stage {
	return &stage{host: NewHost(7, 8), registry: NewRegistry(8, 2), shards: NewShards(8), link: "ocean.sst>air.sst"}
}

// commands are the commands of scripts, by name.
var commands = script.Commands[*stage]{
	"sides": (*stage).sides, "introduce": (*stage).introduce, "ready": (*stage).ready, "leave": (*stage).leave, "refuse": (*stage).refuse,
	"registry": (*stage).newRegistry, "report": (*stage).report, "ask": (*stage).ask, "forgo": (*stage).forgo, "situation": (*stage).situation,
	"gone": (*stage).gone, "break": (*stage).breakShard, "end": (*stage).end, "connected": (*stage).connected, "agreed": (*stage).agreed, "hold": (*stage).hold, "match": (*stage).match, "fetch": (*stage).fetch,
}

// pointsOf returns the numbers of a named argument as a list.
func pointsOf(a *script.Arguments, name string) []byte {
	var b points.Builder
	for _, n := range a.Numbers(name) {
		b.Add(int64(n))
	}
	list := b.List()
	return list.Bytes()
}

// ticket is a request of a member. show returns the answer to it as a text.
type ticket struct {
	member int
	show   func(body []byte) (string, error)
}

// text returns answers as lines, in the order in which they are sent.
func text(answers []Answer) string {
	if len(answers) == 0 {
		return "no answer yet\n"
	}
	var out strings.Builder
	for _, a := range answers {
		t := a.To.(ticket)
		shown, err := "nothing", a.Err
		if err == nil && len(a.Body) > 0 {
			shown, err = t.show(a.Body)
		}
		if err != nil {
			shown = err.Error()
		}
		fmt.Fprintf(&out, "to member %d: %s\n", t.member, shown)
	}
	return out.String()
}
