//go:build race

package node_test

// These are few: under the race detector accesses take several times as long. make check makes more of them without it.
const (
	fixedHistories = 100
	fixedSpaces    = 20_000
)
