// Package exit defines how processes end: their statuses, and the statuses that the launchers
// choose themselves.
package exit
