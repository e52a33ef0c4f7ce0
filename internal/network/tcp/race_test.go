//go:build race

package tcp

// raceDetector says that atomics are functions of the race detector, which do not survive a fault.
const raceDetector = true
