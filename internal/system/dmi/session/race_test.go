//go:build race

package session

// fixedJoins is few: under the race detector processes take several times as long. make check makes more of them without it.
const fixedJoins = 50
