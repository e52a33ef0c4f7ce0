//go:build race

package race

// Enabled reports whether the race detector watches the program.
const Enabled = true
