package bridge

import (
	"bytes"
	"context"
	"fmt"
	"net"
)

// Rehearsal runs the rendezvous of all members of a run without processes and sockets, and counts the
// messages and bytes of both sides. It makes and decodes the messages as [Dial] and [Server] do. It serves
// programs that compute the cost of a large run. Not for concurrent use.
type Rehearsal struct {
	members *membership
	seq     uint32
	member  Flow // one member and the rendezvous have sent each other
	sent    Flow // the rendezvous has sent to all members
	taken   Flow // the rendezvous has received from all members
}

// Flow is a number of messages and their bytes. A message is all that one end of a connection sends before it
// waits for the other end.
type Flow struct {
	Messages, Bytes uint64
}

func (f *Flow) add(messages, bytes int) {
	f.Messages += uint64(messages)
	f.Bytes += uint64(messages) * uint64(bytes)
}

// Rehearse begins a rehearsal: all members of jobs prove themselves and join. self returns which process
// a member is.
func Rehearse(jobs []Job, self func(member int) Identity) (*Rehearsal, error) {
	if err := checkJobs(jobs); err != nil {
		return nil, err
	}
	r := &Rehearsal{members: newMembership(jobs, 0)}
	if err := r.prove(); err != nil {
		return nil, err
	}
	member := 0
	for job, j := range jobs {
		for jobRank := range j.Size {
			if err := r.join(uint32(job), int32(jobRank), self(member)); err != nil {
				return nil, fmt.Errorf("rank %d: %w", member, err)
			}
			member++
		}
	}
	return r, nil
}

// prove counts the proofs of all members. They have the same sizes for each.
func (r *Rehearsal) prove() error {
	token, err := NewToken()
	if err != nil {
		return err
	}
	credentials, err := NewCredentials(token, false)
	if err != nil {
		return err
	}
	dialler, acceptor := net.Pipe()
	defer dialler.Close()
	defer acceptor.Close()
	turns := new(turns)
	challenged := make(chan error, 1)
	go func() {
		_, _, err := credentials.challenge(context.Background(), &turnConn{acceptor, turns, true}, serviceRendezvous, noMember)
		challenged <- err
	}()
	if _, err := credentials.answer(context.Background(), &turnConn{dialler, turns, false}, serviceRendezvous, noMember, noMember); err != nil {
		return err
	}
	if err := <-challenged; err != nil {
		return err
	}
	for _, t := range *turns {
		r.count(t.accepted, r.members.size(), t.bytes)
		r.member.add(1, t.bytes)
	}
	return nil
}

// turns are the messages of a conversation.
type turns []turn

type turn struct {
	accepted bool // the end that has accepted the connection has sent it
	bytes    int
}

// turnConn is one end of a pipe that records what it writes. The ends of a pipe write in turns, so
// they need no lock.
type turnConn struct {
	net.Conn
	turns    *turns
	accepted bool
}

func (c *turnConn) Write(b []byte) (int, error) {
	if n := len(*c.turns); n > 0 && (*c.turns)[n-1].accepted == c.accepted {
		(*c.turns)[n-1].bytes += len(b)
	} else {
		*c.turns = append(*c.turns, turn{c.accepted, len(b)})
	}
	return c.Conn.Write(b)
}

// count counts messages of so many bytes each that the rendezvous sends or receives.
func (r *Rehearsal) count(sent bool, messages, bytes int) {
	if sent {
		r.sent.add(messages, bytes)
	} else {
		r.taken.add(messages, bytes)
	}
}

// join makes a process the next member.
func (r *Rehearsal) join(job uint32, jobRank int32, self Identity) error {
	asked := hello{job: job, jobRank: jobRank, pid: uint32(self.PID), host: self.Host}.frame()
	_, payload, err := readFrame(bytes.NewReader(asked), maxHello)
	if err != nil {
		return err
	}
	h, err := decodeHello(payload)
	if err != nil {
		return err
	}
	member, reason := r.members.join(h, nil)
	if reason != "" {
		return &RejectedError{Server: "rehearsal", Reason: reason}
	}
	answer := r.members.welcome(member).frame()
	r.count(false, 1, len(asked))
	r.count(true, 1, len(answer))
	if member == 0 {
		r.member.add(1, len(asked))
		r.member.add(1, len(answer))
	}
	return nil
}

// Gather takes the blobs of all members for the next exchange and returns the message that each member
// gets. blob returns what a member gives.
func (r *Rehearsal) Gather(blob func(member int) ([]byte, error)) (result []byte, err error) {
	for member := range r.members.size() {
		b, err := blob(member)
		if err == nil {
			err = checkBlob(b)
		}
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", member, err)
		}
		given := exchangeFrame(r.seq, b)
		_, payload, err := readFrame(bytes.NewReader(given), 4+MaxBlob)
		if err != nil {
			return nil, err
		}
		seq, b, err := decodeExchange(payload)
		if err != nil {
			return nil, err
		}
		if result, err = r.members.takeBlob(member, seq, b); err != nil {
			return nil, err
		}
		r.count(false, 1, len(given))
		if member == 0 {
			r.member.add(1, len(given))
		}
	}
	r.seq++
	r.count(true, r.members.size(), len(result))
	r.member.add(1, len(result))
	return result, nil
}

// Receive returns the blobs in a result of Gather, as a member reads them.
func (r *Rehearsal) Receive(result []byte) ([][]byte, error) {
	_, payload, err := readFrame(bytes.NewReader(result), maxResult(r.members.size()))
	if err != nil {
		return nil, err
	}
	_, blobs, err := decodeResult(payload, r.members.size())
	return blobs, err
}

// Depth returns the length of the longest chain of messages so far in which each waits for the one before.
// All messages on one connection wait for each other, and a result waits for the same number of messages on
// each connection.
func (r *Rehearsal) Depth() int { return int(r.member.Messages) }

// Member returns what member 0 and the rendezvous have sent each other so far.
func (r *Rehearsal) Member() Flow { return r.member }

// Sent and Received return what the rendezvous has sent to, and received from, all members so far.
func (r *Rehearsal) Sent() Flow     { return r.sent }
func (r *Rehearsal) Received() Flow { return r.taken }
