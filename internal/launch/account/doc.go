// Package account gathers the counts of transfers of the ranks of a run.
//
// Every rank that counts has a file in the private directory of the run on its host (package traffic).
// [Gather] reads these files. A proxy sends the tables of its host to the launcher when its ranks have ended,
// and before that when the launcher asks. The launcher saves them beside those of its own host. So all tables
// are in one directory, also those of ranks that have been killed. [Run.Write] writes the table of option
// -stats, and [Run.WritePage] the page of option -trace, for which [Samples] are taken while the run goes on.
//
// Ranks have their numbers at the start of the run, as in all messages of launchers.
package account
