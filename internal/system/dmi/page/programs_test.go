package page

// fault is a fault of the surroundings or of a state machine that the exploration is to find. The model has them all, so the state
// machines need no switches for them.
type fault uint8

const (
	none             fault = iota
	copyDuringChange       // the owner gives a copy out while processes with copies are told about a change
	readDuringChange       // the owner lets reads pass while a lent change is under way
	unawaited              // the owner applies a change before all processes with copies have answered
	dropUnawaited          // the owner does not wait until copies are dropped
	earlyRelease           // the owner releases copies before the change is applied
	overtakenKept          // a copy is kept though a message about it has overtaken the bytes
	forgottenCopies        // a new owner does not know the processes with copies
	earlyFirst             // a new owner takes requests of others before its own first change
	oldOwnerAnswers        // a process answers reads after it has given the page away
	holdReads              // a copy that is held is read
	keptAfterTake          // a copy is kept though its process has taken the page meanwhile
	nothingKept            // a process that watches the page keeps no copy of a page that it gives away
	anyRelease             // a release of an older change releases a copy
	olderOwner             // a process believes each message about the owner
	earlierCopy            // a copy is read while a Fetch takes its place
	olderFetch             // an owner enters a Fetch in place of a newer copy
	movingHome             // a home takes first requests while it moves
	recordsOnce            // a home that moves does not tell the new one about owners that have changed meanwhile
	ownerTaken             // a home takes each message about an owner, also while it moves and afterwards
	leavesFull             // a process leaves while it has pages
)

// faultTests has a program that shows each fault, and what is wrong then.
var faultTests = []struct {
	fault         fault
	program, want string
}{
	{copyDuringChange, "put", "a copy is old"},
	{readDuringChange, "long", "a read is torn"},
	{unawaited, "put", "a copy is old"},
	{dropUnawaited, "put", "a copy is old"},
	{earlyRelease, "put", "or newer than the page"},
	{overtakenKept, "put", "a copy is old"},
	{forgottenCopies, "exclusive", "a copy is old"},
	{earlyFirst, "whole pages", "a read is torn"},
	{oldOwnerAnswers, "exclusive", "a read yields old bytes"},
	{holdReads, "put", "or newer than the page"},
	{keptAfterTake, "threads that take", "a copy is old"},
	{nothingKept, "watch at the owner", "a watcher misses a change"},
	{anyRelease, "put", "a copy is old"},
	{olderOwner, "exclusive", "an operation does not end"},
	{earlierCopy, "threads of one process", "a copy is old"},
	{olderFetch, "watch while the page moves", "a copy is old"},
	{movingHome, "home that moves", "a page has two owners"},
	{recordsOnce, "owner that leaves", "may go on forever"},
	{ownerTaken, "home that leaves", "may go on forever"},
	{leavesFull, "owner that leaves", "may go on forever"},
}

// read, write and add are operations on page 0.
func read(mode access) operation { return operation{kind: doRead, mode: mode} }
func write(mode access, value int8) operation {
	return operation{kind: doWrite, mode: mode, value: value}
}
func add(mode access) operation { return operation{kind: doAdd, mode: mode} }

func (o operation) asLong() operation  { o.long = true; return o }
func (o operation) asWhole() operation { o.whole = true; return o }
func (o operation) page1() operation   { o.page = 1; return o }

var (
	watchZero = operation{kind: doWatch, mode: update}
	evict     = operation{kind: doEvict}
	move      = operation{kind: doMove, mode: exclusive}
	evacuate  = operation{kind: doEvacuate}
	leave     = operation{kind: doLeave}
)

// handOver lets a process be the home of page 0. takeOver takes the page when a process evacuates.
func handOver(to int) operation   { return operation{kind: doHandOver, to: to} }
func takeOver(from int) operation { return operation{kind: doMove, mode: exclusive, to: 1 + from} }

// on returns a thread of a process.
func on(process int, ops ...operation) programThread { return programThread{process, ops} }

// programs are small programs whose states are all explored. A page has its home at process 0, unless the program says otherwise.
var programs = []program{
	{name: "put", threads: []programThread{
		on(0, write(put, 1), read(get)),
		on(1, read(invalidate), add(put)),
		on(2, read(update), read(update)),
	}},
	{name: "put with many copies", threads: []programThread{
		on(0, write(put, 1), read(invalidate)),
		on(1, read(update), write(put, 2), read(update)),
		on(2, read(update), add(put)),
	}},
	{name: "exclusive", threads: []programThread{
		on(0, write(exclusive, 1), read(get)),
		on(1, read(invalidate), add(exclusive)),
		on(2, read(update), read(update)),
	}},
	{name: "exclusive everywhere", threads: []programThread{
		on(0, add(exclusive), read(get)),
		on(1, add(exclusive), read(update)),
		on(2, add(exclusive), read(invalidate)),
	}},
	{name: "put and exclusive", threads: []programThread{
		on(0, read(update), add(exclusive)),
		on(1, add(put), read(invalidate), read(get)),
		on(2, read(update), add(put)),
	}},
	{name: "long", threads: []programThread{
		on(0, write(put, 1).asLong(), read(get).asLong()),
		on(1, read(update).asLong(), read(get)),
		on(2, read(invalidate).asLong(), add(put).asLong()),
	}},
	{name: "long exclusive", threads: []programThread{
		on(0, read(update).asLong(), read(get)),
		on(1, write(exclusive, 1).asLong(), read(get).asLong()),
		on(2, read(update).asLong(), add(exclusive).asLong()),
	}},
	{name: "whole pages", threads: []programThread{
		on(0, read(update), read(get)),
		on(1, write(exclusive, 1).asWhole(), read(get)),
		on(2, write(exclusive, 2).asWhole(), read(get)),
	}},
	{name: "long whole pages", threads: []programThread{
		on(0, read(update).asLong(), read(get)),
		on(1, write(exclusive, 1).asWhole().asLong(), read(get)),
		on(2, read(get), write(exclusive, 2).asWhole().asLong()),
	}},
	{name: "first touch by a copy", homes: [pages]int{2, 2}, threads: []programThread{
		on(0, read(invalidate), read(get)),
		on(1, write(put, 1), add(exclusive)),
		on(2, read(update), read(get)),
	}},
	{name: "first touch by taking", homes: [pages]int{2, 2}, threads: []programThread{
		on(0, write(exclusive, 1), add(put)),
		on(1, read(get), write(exclusive, 2)),
		on(2, read(get), add(exclusive)),
	}},
	{name: "two pages", homes: [pages]int{0, 1}, threads: []programThread{
		on(0, write(exclusive, 1), read(update).page1()),
		on(1, add(put), write(put, 1).page1()),
		on(2, read(update).page1(), read(update)),
	}},
	{name: "threads of one process", threads: []programThread{
		on(0, write(put, 1)),
		on(1, read(invalidate), read(get)),
		on(1, read(update)),
		on(2, add(exclusive)),
	}},
	{name: "threads that take", threads: []programThread{
		on(1, add(exclusive), read(get)),
		on(1, read(update), add(exclusive)),
		on(2, add(exclusive), read(update)),
	}},
	{name: "copies given up", threads: []programThread{
		on(0, add(put), add(put)),
		on(1, read(update), evict, read(update)),
		on(2, read(invalidate), evict, read(invalidate)),
	}},
	{name: "pages that move", threads: []programThread{
		on(0, add(put), read(get)),
		on(1, move, read(update)),
		on(2, read(update), move),
	}},
	{name: "home that moves", threads: []programThread{
		on(0, handOver(1)),
		on(1, write(exclusive, 1), read(get)),
		on(2, read(update), add(put)),
	}},
	{name: "home that moves back", threads: []programThread{
		on(0, handOver(1), read(get)),
		on(1, handOver(0)),
		on(2, add(exclusive), add(put)),
	}},
	{name: "home that leaves", homes: [pages]int{2, 0}, threads: []programThread{
		on(0, add(put), read(get)),
		on(1, takeOver(2), read(update)),
		on(2, handOver(0), evacuate, leave),
	}},
	{name: "owner that leaves", homes: [pages]int{0, 0}, threads: []programThread{
		on(0, handOver(1)),
		on(0, takeOver(2), read(get)),
		on(1, read(get), read(update)),
		on(2, add(exclusive), evacuate, leave),
	}},
	{name: "copy that leaves", homes: [pages]int{0, 0}, threads: []programThread{
		on(0, add(put), add(put)),
		on(1, read(update), add(exclusive)),
		on(2, read(update), leave),
	}},
	{name: "watch", threads: []programThread{
		on(0, write(put, 1), write(put, 0)),
		on(1, watchZero),
		on(2, watchZero, read(get)),
	}},
	{name: "watch at the owner", threads: []programThread{
		on(0, read(update), watchZero),
		on(1, write(exclusive, 1), write(exclusive, 0)),
		on(2, add(put)),
	}},
	{name: "watch long changes", threads: []programThread{
		on(0, write(put, 1).asLong(), write(put, 0).asLong()),
		on(1, watchZero),
		on(2, watchZero.asLong()),
	}},
	{name: "watch while the page moves", threads: []programThread{
		on(1, watchZero),
		on(1, write(exclusive, 0)),
		on(2, write(exclusive, 0), write(exclusive, 1), write(exclusive, 0)),
	}},
	{name: "watch and read", threads: []programThread{
		on(0, write(put, 0), write(put, 0)),
		on(1, read(invalidate), read(invalidate)),
		on(1, watchZero),
	}},
	{name: "watch, read and take", threads: []programThread{
		on(1, watchZero),
		on(1, read(update)),
		on(1, write(exclusive, 0)),
		on(2, write(exclusive, 0), write(put, 1)),
	}},
}
