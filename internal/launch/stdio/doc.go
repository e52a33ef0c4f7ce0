// Package stdio connects the standard input and output of a launcher with those of the
// processes that it starts. Line forwarders pass their output on, whole lines at a time.
package stdio
