// Package pid distinguishes a process from others that have had the same process id, or will
// have it.
package pid
