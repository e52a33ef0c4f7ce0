// Package traffic counts what a process transfers: operations and bytes, by the member at the other
// end, by [Kind] and by [Path].
//
// A process that counts has one [Table]. It lies in a file in memory, so that the launcher can read it
// at any time, also when the process has been killed. The file is as large as if the process transferred
// something with all members. It takes memory only for the members with which there is some.
//
// Go and C count on the hot path. The first thread of C that counts has counters of its own and stores in
// them. All other threads add to shared ones by one atomic instruction, or by two if they transfer 16 MiB or
// more. [Read] adds both up.
//
// Layout of the file, offsets in bytes:
//
//	0         Head, and the longest waits
//	countsAt  Counts of member 0: those of the first kind on all paths, then those of the next kind
//	…         the member of each rank, for C
//
// Members are numbered as in package bridge. The file is in a directory that is closed to other users.
package traffic
