// Package supervise decides from the events of the processes of a run whether the run continues, why it ends,
// and with which exit status. It opens no file, starts no process and reads no clock: every event carries its
// time.
package supervise
