// Package debuglog writes the decisions of the layers of launchers and library, with their reasons. It is off
// unless the user chooses layers. While it is off, it costs one load of a word at each place.
//
// Each operating system process has one log, as it has one standard error. A line has the time of day, the
// process that writes it, and the layer:
//
//	21:03:12.004512 rank 3: route: to ranks 0-2: shm
//
// Each line is one write, so that lines of several processes do not mix. A line states a decision and its
// reason. No hot path writes lines, and no line contains a secret.
package debuglog
