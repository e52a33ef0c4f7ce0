package activity

import "fmt"

// Kind is the kind of a wait.
type Kind uint32

// The kinds of waits. Those of the second group name a member, if the thread waits for one alone.
const (
	Unknown  Kind = iota // something inside the library
	Start                // all members are to start
	Barrier              // all members are to come to the barrier
	Exchange             // all members are to send their blobs

	Receive    // a message from a member
	Send       // a member is to take a message
	Release    // a member is to free its end of a channel
	Complete   // copies and atomics that are in flight
	Answer     // the answer of a member's agent
	Connect    // the other end of a segmented buffer
	Disconnect // the other end of a segmented buffer is to disconnect
	Notify     // a notification of a member
	Mutex      // a mutex that another process holds; with an Object, a mutex of DMI
	Value      // a named value that is to be put
	Link       // a member is to continue at its end of a link
	Opening    // the other ranks of a link are to open it
	Change     // a process that comes, leaves or is lost

	// Waits of programs with DMI. Object says what Number is.
	Access    // the owner of a page, a member, is to carry out an access
	Home      // a member is to name the owner of a page
	Copies    // members with copies of a page are to follow a change
	Condition // a condition variable is to be signalled
	Arrival   // threads are to arrive at a barrier
	Spin      // a spin lock that a thread of a member holds
	Watch     // bytes of global memory are to change
	Wake      // another thread is to wake the suspended one
	Phase     // processes are to take part, or the threads of a phase are to end
	Join      // a thread of a member is to end
	Request   // a process is to ask to join or leave
	Coming    // a member is to join
	Leaving   // a member is to leave
	Idle      // a process without threads of the program waits for some
	kinds
)

var kindNames = [kinds]string{
	Unknown: "unknown", Start: "start", Barrier: "barrier", Exchange: "exchange", Receive: "receive", Send: "send", Release: "release",
	Complete: "complete", Answer: "answer", Connect: "connect", Disconnect: "disconnect", Notify: "notify",
	Mutex: "mutex", Value: "value", Link: "link", Opening: "opening", Change: "change",
	Access: "access", Home: "home", Copies: "copies", Condition: "condition", Arrival: "arrival", Spin: "spin", Watch: "watch", Wake: "wake",
	Phase: "phase", Join: "join", Request: "request", Coming: "coming", Leaving: "leaving", Idle: "idle",
}

// String returns the kind in one word.
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("Kind(%d)", uint32(k))
	}
	return kindNames[k]
}

// MarshalText implements [encoding.TextMarshaler].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. A name that this version does not have is Unknown.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Unknown
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
		}
	}
	return nil
}

// Reason is the reason why a thread sleeps. The zero Reason is of the kind Unknown and names no member.
type Reason struct {
	kind   Kind
	other  uint32 // 1 + the member, 0 for none
	about  string
	object Object
}

// For is a reason of a kind that names no member.
func For(k Kind) Reason { return Reason{kind: k} }

// On is a reason of a kind that names a member. A negative member is none.
func On(k Kind, member int) Reason { return Reason{kind: k, other: uint32(max(member, -1) + 1)} }

// About returns the reason with the name of the object of the wait. A long name is cut off.
func (r Reason) About(name string) Reason {
	r.about = name
	return r
}
