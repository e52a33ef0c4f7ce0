package flow

import (
	"testing"

	"github.com/goacp/goacp/internal/system/couple/points"
)

// TestTells: a receiver sends the positions of large messages whose values lie in few runs.
func TestTells(t *testing.T) {
	var scattered points.Builder
	for i := range int64(1 << 12) {
		scattered.Add(i * (i%3 + 1))
	}
	one, many := points.Of(), scattered.List()
	var b points.Builder
	b.AddRun(points.Run{Start: 0, Stride: 1, Count: 1 << 12})
	one = b.List()
	for _, c := range []struct {
		what  string
		at    *points.List
		size  uint64
		tells bool
	}{{"one run", &one, 8 << 12, true}, {"a small message", &one, leastZeroCopy - 1, false}, {"many runs", &many, 8 << 12, false}} {
		if Tells(c.at, c.size) != c.tells {
			t.Errorf("%s: tells is %v", c.what, !c.tells)
		}
	}
}

// TestChoose: a sender that maps the memory of the receiver copies, and one that does not lets the transport put.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		mapped, fit bool
		way         Way
	}{{true, true, Local}, {true, false, Local}, {false, true, Remote}, {false, false, Packed}} {
		if way := Choose(c.mapped, c.fit); way != c.way {
			t.Errorf("mapped %v, fit %v: way %d, expected %d", c.mapped, c.fit, way, c.way)
		}
	}
}

// TestFit: a message is fit for remote zero copy if it is large and its values lie in few runs.
func TestFit(t *testing.T) {
	list := func(run, apart, n int64) *points.List {
		var b points.Builder
		for i := range n {
			b.AddRun(points.Run{Start: i * apart, Stride: 1, Count: run})
		}
		l := b.List()
		return &l
	}
	var strided points.Builder
	strided.AddRun(points.Run{Start: 0, Stride: 2, Count: 1 << 17})
	every := strided.List()
	for _, c := range []struct {
		what  string
		at    *points.List
		wants bool
	}{
		{"one run", list(1<<17, 1<<17, 1), true}, {"rows of 16 KiB", list(2048, 2050, 64), true}, {"rows of 8 KiB", list(1024, 1026, 128), false},
		{"a small message", list(1<<14, 1<<14, 1), false}, {"every second value", &every, false},
	} {
		if usualLimits.Fit(c.at, uint64(c.at.Len())*8) != c.wants {
			t.Errorf("%s: fit is %v", c.what, !c.wants)
		}
	}
}
