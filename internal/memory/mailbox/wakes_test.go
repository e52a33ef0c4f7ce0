package mailbox

import "testing"

// TestWakes: the first wake-up comes soon, the next ones more and more seldom while they are in vain, and
// soon again if they are not.
func TestWakes(t *testing.T) {
	var k wakes
	var served uint64
	until := func() (n int) {
		for n = 1; !k.due(served); n++ {
		}
		for range 2 * wakeLast {
			if k.due(served) {
				t.Fatal("a second wake-up before the first is answered")
			}
		}
		k.Answered()
		return n
	}
	for want := wakeFirst; want < 4*wakeLast; want *= 2 {
		served += wakeFirst - 1
		if got := until(); got != min(want, wakeLast) {
			t.Errorf("a wake-up behind %d operations, expected %d", got, min(want, wakeLast))
		}
	}
	served += wakeFirst
	until()
	if got := until(); got != wakeFirst {
		t.Errorf("a wake-up behind %d operations, although the one before was worth it", got)
	}
}
