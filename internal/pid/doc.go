// Package pid tells a process from another one that has had, or will have, the same
// process id.
package pid
