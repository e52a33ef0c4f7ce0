package object

import "fmt"

// Operations is the number of operations: they are 0 to Operations-1.
const Operations = operations

// Builtin is the number of a built-in operation on the bytes of an object. All processes of a run have the same ones.
type Builtin uint8

// The operations. Their comments in the files of the objects say what goes in and comes out.
const (
	barrierInit Builtin = iota
	barrierDestroy
	barrierCheck
	barrierArrive
	barrierEnter
	mutexInit
	mutexDestroy
	mutexCheck
	mutexLock
	mutexTryLock
	mutexUnlock
	mutexJoin
	condInit
	condDestroy
	condEnter
	condPop
	condPopAll
	condFollow
	spinInit
	spinDestroy
	spinTryLock
	spinUnlock
	idpoolInit
	idpoolDestroy
	idpoolCheck
	idpoolReserve
	idpoolRaise
	idpoolRelease
	bitsTake
	bitsReturn
	rwsetInit
	rwsetDestroy
	rwsetCheck
	regionBegin
	regionEnd
	directoryClaim
	directoryDrop
	operations
)

// status is the first byte that comes back from an operation.
type status uint8

// The statuses.
const (
	done       status = iota
	noObject          // the memory has another object, whose kind is the next byte
	notOwner          // another thread has locked the object
	owned             // the calling thread has locked it already
	locked            // a thread holds the lock
	notLocked         // no thread does
	waiting           // the thread is in the queue, or threads are
	settling          // the object changes by itself soon
	mismatch          // threads call a barrier differently
	tooMany           // fewer threads of this call belong to the round
	exhausted         // there is nothing to take
	otherMutex        // threads wait with another mutex
	popped            // the result names a thread that has left the queue
	poppedAll         // the result names the chain of all threads that have left the queue
	outOfRange        // an argument that no correct process passes
)

// builtin is one operation.
type builtin struct {
	kind kind // of the object; none: the operation takes any memory
	size int  // bytes of memory; 0: any number
	in   int  // bytes that go in; anySize: any number
	out  int  // bytes that come back
	run  func(b, in, out []byte)
}

// anySize is the size of input whose length the operation itself checks.
const anySize = -1

// builtins has all operations. They are pure functions of the bytes: each process can run them.
var builtins = [operations]builtin{
	barrierInit:    {none, BarrierSize, 4, 1, initBarrier},
	barrierDestroy: {barrierKind, BarrierSize, 0, 2, destroyBarrier},
	barrierCheck:   {barrierKind, BarrierSize, 0, 2, check},
	barrierArrive:  {barrierKind, BarrierSize, arriveIn, arriveOut, arriveAtBarrier},
	barrierEnter:   {barrierKind, BarrierSize, arriveIn, arriveOut, enterBarrier},
	mutexInit:      {none, MutexSize, 0, 1, initMutex},
	mutexDestroy:   {mutexKind, MutexSize, 0, 2, destroyMutex},
	mutexCheck:     {mutexKind, MutexSize, threadBytes, 2, checkMutex},
	mutexLock:      {mutexKind, MutexSize, waiterBytes, lockOut, lockMutex},
	mutexTryLock:   {mutexKind, MutexSize, threadBytes, tryOut, tryLockMutex},
	mutexUnlock:    {mutexKind, MutexSize, unlockIn, unlockOut, unlockMutex},
	mutexJoin:      {mutexKind, MutexSize, chainBytes, joinOut, joinMutex},
	condInit:       {none, CondSize, 0, 1, initCond},
	condDestroy:    {condKind, CondSize, 0, 2, destroyCond},
	condEnter:      {condKind, CondSize, enterIn, lockOut, enterCond},
	condPop:        {condKind, CondSize, 0, popOut, popCond},
	condPopAll:     {condKind, CondSize, 0, popOut, popAllCond},
	condFollow:     {condKind, CondSize, waiterBytes, popOut, followCond},
	spinInit:       {none, SpinSize, 0, 1, initSpin},
	spinDestroy:    {spinKind, SpinSize, 0, 2, destroySpin},
	spinTryLock:    {spinKind, SpinSize, threadBytes, tryOut, tryLockSpin},
	spinUnlock:     {spinKind, SpinSize, threadBytes, 2, unlockSpin},
	idpoolInit:     {none, IDPoolSize, 12, 1, initIDPool},
	idpoolDestroy:  {idpoolKind, IDPoolSize, 0, poolOut, destroyIDPool},
	idpoolCheck:    {idpoolKind, IDPoolSize, 0, poolOut, checkIDPool},
	idpoolReserve:  {idpoolKind, IDPoolSize, 0, poolOut, reserveID},
	idpoolRaise:    {idpoolKind, IDPoolSize, 8, 2, raiseIDHint},
	idpoolRelease:  {idpoolKind, IDPoolSize, 4, 2, releaseID},
	bitsTake:       {none, 0, 4, 5, takeBit},
	bitsReturn:     {none, 0, 4, 1, returnBit},
	rwsetInit:      {none, RWSetSize, setOut, 1, initRWSet},
	rwsetDestroy:   {rwsetKind, RWSetSize, 0, setOut, destroyRWSet},
	rwsetCheck:     {rwsetKind, RWSetSize, 0, setOut, checkRWSet},
	regionBegin:    {none, regionBytes, 0, 4 + regionBytes, beginRegion},
	regionEnd:      {none, regionBytes, 4 + regionBytes, 1, endRegion},
	directoryClaim: {none, 0, anySize, claimOut, claimElements},
	directoryDrop:  {none, 0, anySize, 1, dropElements},
}

// Run runs the operation on the bytes b, with the input in, and writes the output. All of them may come from another
// process: Run fails, and changes nothing, if there is no such operation or if a length is not the one that it has.
// It does not block, and keeps none of the memory.
func (op Builtin) Run(b, in, out []byte) error {
	clear(out)
	if op >= operations {
		return fmt.Errorf("object: there is no built-in operation %d", op)
	}
	d := &builtins[op]
	if d.size != 0 && len(b) != d.size || d.in != anySize && len(in) != d.in || len(out) != d.out {
		return fmt.Errorf("object: operation %d on %d bytes with %d and %d bytes; expected %d with %d and %d", op, len(b), len(in), len(out), d.size, d.in, d.out)
	}
	if d.kind != none {
		if k := kindOf(b); k != d.kind {
			out[0], out[1] = byte(noObject), byte(k)
			return nil
		}
	}
	d.run(b, in, out)
	return nil
}

// check is the operation that only looks whether there is an object.
func check(b, in, out []byte) {}

// initialise makes b an object of a kind, with zeros behind its mark.
func initialise(b []byte, k kind) {
	clear(b)
	setWord(b, 0, k.mark())
}
