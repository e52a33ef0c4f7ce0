// Package debuglog writes what the layers of launchers and library decide, and why. It is off unless the user
// chooses layers, and then costs one load of a word at each place.
//
// The log belongs to the operating system's process, as standard error does. A line has the time of day, the process that
// writes it, and the layer:
//
//	21:03:12.004512 rank 3: route: to ranks 0-2: shm
//
// Each line is one write, so that lines of several processes do not mix. A line states a decision and its
// reason. Nothing on a hot path writes one, and no line has a secret.
package debuglog
