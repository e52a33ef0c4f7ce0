// Package exit says how processes end: their statuses, and those that the launchers choose
// themselves.
package exit
