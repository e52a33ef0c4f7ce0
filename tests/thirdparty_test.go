package tests

import "testing"

// TestThirdPartyCopy moves 64 MiB between two hosts on behalf of a third, whose
// network must not notice.
func TestThirdPartyCopy(t *testing.T) {
	place := suite.Place(t)
	place.Hosts(3)
	t.Log(place.Must("acprun", "-np", "3", "-nodefile", place.Nodefile(0, 1, 2), "-smemsize", "64m", suite.Go(t, "thirdparty")))
}
