//go:build !race

package page

// exploreLarge: see race_test.go.
const exploreLarge = true
