//go:build !race

package tcp

// raceDetector: see race_test.go.
const raceDetector = false
