package meet

// Ticket stands for a request that may be answered later. It is whatever the caller recognises the request by, and is
// never nil.
type Ticket any

// Answer is the answer to the request that a ticket stands for.
type Answer struct {
	To   Ticket
	Body []byte
	Err  error // nil, or why the request has no answer
}
