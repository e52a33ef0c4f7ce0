//go:build race

package node_test

// fixedHistories is few: under the race detector histories take several times as long. make check makes more of them without it.
const fixedHistories = 100
