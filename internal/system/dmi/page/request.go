package page

// Kind is what a request wants of a page.
type Kind uint8

// The kinds of requests.
const (
	Get   Kind = iota + 1 // read bytes
	Fetch                 // read the page, and keep a copy
	Write                 // change bytes
	Take                  // become the owner of the page, and then change bytes
)

// CopyKind says what becomes of a copy when the page changes.
type CopyKind uint8

// The kinds of copies.
const (
	Invalidate CopyKind = iota + 1 // it ends
	Update                         // it gets the new bytes
)

// Request is a request of one process to the owner of a page.
type Request struct {
	ID   uint64 // different from those of other requests that the owner has
	From int    // the process
	Kind Kind
	Copy CopyKind // of Fetch

	// Grant is the number that the requester gave to a Fetch, from Copy.Fetch. The owner names the copy by it.
	Grant uint64

	// Long: the bytes take longer than one step. The owner lends the page to the request until Owner.Ended.
	Long bool
}

// Holder is a process that has a copy.
type Holder struct {
	Process int
	Kind    CopyKind
	Grant   uint64 // of the Fetch
}

// State is what moves with a page from one owner to the next.
type State struct {
	Version uint64 // of the bytes; the first is 0
	Holders []Holder
}

// Action is what the owner does next, in the order in which the functions of Owner return them.
type Action struct {
	Do      Do
	Request Request // that is carried out; Release has none
	Holder  Holder  // of Drop, Hold, Bring and Release
	Owner   int     // of Redirect: the new owner
	Version uint64  // of the bytes of the change, or of the bytes that are read
}

// Do is the kind of an Action.
type Do uint8

// The kinds of actions.
const (
	// Serve: read the bytes of a Get or Fetch and answer it.
	Serve Do = iota + 1
	// Lend: let a long request read or write the bytes. Ended ends that.
	Lend
	// Drop: tell a process that its copy ends. It answers, and Answered takes the answer.
	Drop
	// Hold: tell a process that its copy is not to be used until it is released, with the new bytes if the change is not long. It
	// answers, and Answered takes the answer.
	Hold
	// Apply: change the bytes by a Write that is not long.
	Apply
	// Bring: send the new bytes of a long change to a process with a copy. It answers, and Answered takes the answer.
	Bring
	// Finish: answer a Write whose bytes are changed.
	Finish
	// Release: tell a process that its copy may be used again. It does not answer.
	Release
	// Move: give the page to the requester. The process is not the owner any more.
	Move
	// Redirect: answer a request with the new owner.
	Redirect
)
