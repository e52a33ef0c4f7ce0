//go:build race

package tcp

// raceDetector is true if atomics are functions of the race detector, which do not survive a fault.
const raceDetector = true
