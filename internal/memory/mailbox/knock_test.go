package mailbox

import "testing"

// TestKnocks: the first knock comes soon, the next ones more and more seldom while they are in vain, and
// soon again if they are not.
func TestKnocks(t *testing.T) {
	var k knocks
	var served uint64
	until := func() (n int) {
		for n = 1; !k.due(served); n++ {
		}
		for range 2 * knockLast {
			if k.due(served) {
				t.Fatal("a second knock before the first is answered")
			}
		}
		k.Answered()
		return n
	}
	for want := knockFirst; want < 4*knockLast; want *= 2 {
		served += knockFirst - 1
		if got := until(); got != min(want, knockLast) {
			t.Errorf("a knock behind %d operations, expected %d", got, min(want, knockLast))
		}
	}
	served += knockFirst
	until()
	if got := until(); got != knockFirst {
		t.Errorf("a knock behind %d operations, although the one before was worth it", got)
	}
}
