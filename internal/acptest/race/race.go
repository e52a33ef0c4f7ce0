// Package race tells tests whether the race detector watches them.
package race

// Cases returns how many random cases a test makes: few under the race detector, where each takes several times as long, and
// otherwise all. Those that make all of them are named at check-plain in the Makefile.
func Cases(all, few int) int {
	if Enabled {
		return few
	}
	return all
}
