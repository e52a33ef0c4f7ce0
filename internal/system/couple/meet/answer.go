package meet

// Ticket identifies a request whose reply may be sent later. The caller chooses its value, which is never nil.
type Ticket any

// Answer is the reply to the request of a ticket.
type Answer struct {
	To   Ticket
	Body []byte
	Err  error // nil, or why the request has no answer
}
