// Package traffic counts the transfers of a process: operations and bytes, by the member at the other end, by
// [Kind] and by [Path].
//
// A process that counts has one [Table]. It lies in a file in memory, so that the launcher can read it at any
// time, also when the process has been killed. The file has room for transfers with all members. It takes
// memory only for members with which there are transfers.
//
// Go and C count on the hot path. The first thread of C that counts has separate counters and updates them by
// plain stores. All other threads add to shared counters by one atomic instruction, or by two if they
// transfer 16 MiB or more. [Read] adds both up.
//
// Layout of the file, offsets in bytes:
//
//	0         Head, and the longest waits
//	countsAt  Counts of member 0: those of the first kind on all paths, then those of the next kind
//	…         the member of each rank, for C
//
// Members are numbered as in package bridge. The file is in a directory that is closed to other users.
package traffic
