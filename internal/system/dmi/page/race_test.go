//go:build race

package page

// exploreLarge: the race detector, which has nothing to detect here, makes the exploration of large programs take minutes.
const exploreLarge = false
