package activity

import "testing"

func TestOwnerOf(t *testing.T) {
	for function, want := range map[string]owner{
		"main.main": program,
		"example.org/coupler/ocean.(*Model).Step":            program,
		"github.com/goacp/goacp/examples/ring.main":          program,
		"github.com/goacp/goacp/acp.(*Process).Sync":         library,
		"github.com/goacp/goacp/internal/access/gma.f.func1": library,
		"runtime.goexit":                               standard,
		"sync.(*WaitGroup).Go.func1":                   standard,
		"slices.SortFunc[go.shape.[]uint8,go.shape.x]": standard,
	} {
		if got := ownerOf(function); got != want {
			t.Errorf("%s: %v, expected %v", function, got, want)
		}
	}
}

func TestShortName(t *testing.T) {
	for function, want := range map[string]string{
		"github.com/goacp/goacp/acp.(*Process).Sync":                       "acp.Process.Sync",
		"github.com/goacp/goacp/acp.Init":                                  "acp.Init",
		"github.com/goacp/goacp/acp.(*Receiver[go.shape.string]).Receive":  "acp.Receiver.Receive",
		"github.com/goacp/goacp/acp.Map[go.shape.int,example.org/x.T].Put": "acp.Map.Put",
		"main.main": "main.main",
	} {
		if got := shortName(function); got != want {
			t.Errorf("%s: %s, expected %s", function, got, want)
		}
	}
}
