//go:build !race

package node_test

const (
	fixedHistories = 500
	fixedSpaces    = 200_000
)
