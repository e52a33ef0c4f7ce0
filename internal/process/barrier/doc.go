// Package barrier lets all members of a run wait for each other.
//
// The members that share memory are a group, and the lowest of them is its leader. They count
// themselves in words of the leader's header page. The last one to arrive releases the others.
// A member that shares memory with no other is a group of its own. The leaders of several
// groups meet by dissemination: in round k each notifies the leader 2^k further and waits for
// the note of the one 2^k before it.
//
// Every member brings a mark, which stands for the function that it has called. A group adds
// its marks up in a word, and each member compares the sum with what it is if all marks are
// equal. Leaders send digests of marks. If the marks of all members are not equal, all members
// find that out in the same barrier.
//
// The words are also in the table of package maptable: in a run of one group C does all of this by
// itself, except parking. A parked member checks from time to time whether the process of the
// next member of its group has ended, and reports that.
package barrier
