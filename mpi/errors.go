package mpi

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnavailable: this build has no MPI.
var ErrUnavailable = errors.New("mpi: this build has no MPI (build tag mpi)")

// ErrCancelled is the outcome of a receive that was cancelled before a message
// matched it.
var ErrCancelled = errors.New("mpi: the request was cancelled")

// ErrThreads: a call has a time limit although the thread level is below [ThreadMultiple]. Such
// a call runs on a separate thread, and may stay there while the program continues to use MPI.
var ErrThreads = errors.New("mpi: a time limit needs MPI_THREAD_MULTIPLE")

// Error is the error of a failed MPI call, or of a call that was not made because MPI would
// have ended the process. errors.Is(err, mpi.ErrName) reports whether it is of that class.
type Error struct {
	Op    string // the function of MPI, such as MPI_Comm_dup
	Class Class  // kind of failure, the same in every MPI
	Code  int    // error code of this MPI; 0 if MPI was not called
	Text  string // MPI's own words, in one or several lines
}

// Error returns the function and the text of MPI in one line.
func (e *Error) Error() string {
	text := strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "; ")
	if e.Code == 0 {
		return fmt.Sprintf("%s: %s (%v)", e.Op, text, e.Class)
	}
	return fmt.Sprintf("%s: %s (%v, code %d)", e.Op, text, e.Class, e.Code)
}

// Unwrap returns the class.
func (e *Error) Unwrap() error { return e.Class }

// AbandonedError is the error of a call that did not return in time. MPI has no means to end a
// call: the thread stays in it, see [Within].
type AbandonedError struct {
	Op    string // the function
	Cause error  // of the end of the context
}

// Error names the call and why it was left.
func (e *AbandonedError) Error() string {
	return fmt.Sprintf("%s: abandoned: %v", e.Op, e.Cause)
}

// Unwrap returns the cause.
func (e *AbandonedError) Unwrap() error { return e.Cause }

// Class is an error class of MPI. It is an error itself, so that errors.Is finds
// it in an [*Error]. The numbers are those of this package: each MPI has its own.
type Class int

// The error classes of the functions in this package. MPI 8.4.
const (
	ErrBuffer      Class = iota + 1 // invalid buffer
	ErrCount                        // invalid count
	ErrType                         // invalid datatype
	ErrTag                          // invalid tag
	ErrComm                         // invalid communicator
	ErrRank                         // rank outside the communicator
	ErrRequest                      // invalid request
	ErrRoot                         // invalid root
	ErrGroup                        // invalid group
	ErrOp                           // invalid operation
	ErrArg                          // invalid argument of another kind
	ErrTruncate                     // message longer than the buffer
	ErrPending                      // not complete
	ErrOther                        // failure of a class that is not in this list
	ErrIntern                       // internal failure of MPI
	ErrUnknown                      // failure that MPI cannot classify
	ErrAssert                       // invalid assertion
	ErrBase                         // invalid base of memory
	ErrDisp                         // invalid displacement
	ErrInfo                         // invalid info object
	ErrInfoKey                      // key too long or empty
	ErrInfoValue                    // value too long or empty
	ErrInfoNoKey                    // no such key
	ErrLockType                     // invalid lock type
	ErrName                         // service name that is not published
	ErrNoMem                        // memory exhausted
	ErrPort                         // invalid port name
	ErrService                      // service name that cannot be published or unpublished
	ErrSize                         // invalid size
	ErrSpawn                        // processes could not be started
	ErrWin                          // invalid window
	ErrRMAConflict                  // conflicting accesses
	ErrRMASync                      // access outside an epoch, or wrong order of synchronization
	ErrRMARange                     // target memory not in the window
	ErrRMAAttach                    // memory cannot be attached
	ErrRMAShared                    // memory cannot be shared
	ErrRMAFlavor                    // window of the wrong kind
)

var classNames = [...]string{
	ErrBuffer: "MPI_ERR_BUFFER", ErrCount: "MPI_ERR_COUNT", ErrType: "MPI_ERR_TYPE",
	ErrTag: "MPI_ERR_TAG", ErrComm: "MPI_ERR_COMM", ErrRank: "MPI_ERR_RANK",
	ErrRequest: "MPI_ERR_REQUEST", ErrRoot: "MPI_ERR_ROOT", ErrGroup: "MPI_ERR_GROUP",
	ErrOp: "MPI_ERR_OP", ErrArg: "MPI_ERR_ARG", ErrTruncate: "MPI_ERR_TRUNCATE",
	ErrPending: "MPI_ERR_PENDING", ErrOther: "MPI_ERR_OTHER", ErrIntern: "MPI_ERR_INTERN", ErrUnknown: "MPI_ERR_UNKNOWN",
	ErrAssert: "MPI_ERR_ASSERT", ErrBase: "MPI_ERR_BASE", ErrDisp: "MPI_ERR_DISP",
	ErrInfo: "MPI_ERR_INFO", ErrInfoKey: "MPI_ERR_INFO_KEY", ErrInfoValue: "MPI_ERR_INFO_VALUE",
	ErrInfoNoKey: "MPI_ERR_INFO_NOKEY", ErrLockType: "MPI_ERR_LOCKTYPE", ErrName: "MPI_ERR_NAME",
	ErrNoMem: "MPI_ERR_NO_MEM", ErrPort: "MPI_ERR_PORT", ErrService: "MPI_ERR_SERVICE",
	ErrSize: "MPI_ERR_SIZE", ErrSpawn: "MPI_ERR_SPAWN", ErrWin: "MPI_ERR_WIN",
	ErrRMAConflict: "MPI_ERR_RMA_CONFLICT", ErrRMASync: "MPI_ERR_RMA_SYNC",
	ErrRMARange: "MPI_ERR_RMA_RANGE", ErrRMAAttach: "MPI_ERR_RMA_ATTACH",
	ErrRMAShared: "MPI_ERR_RMA_SHARED", ErrRMAFlavor: "MPI_ERR_RMA_FLAVOR",
}

// Error returns MPI's name of the class.
func (c Class) Error() string {
	if c < ErrBuffer || int(c) >= len(classNames) {
		return fmt.Sprintf("Class(%d)", int(c))
	}
	return classNames[c]
}
