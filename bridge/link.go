package bridge

import (
	"net"
	"sync"
)

// link is the server's side of one connection. Sending never blocks: frames
// wait in a queue, which a goroutine that lives only while there is something
// to send empties. Frames are shared between links and never changed.
//
// The queue is short because a member that has not read the result of one
// exchange cannot begin the next.
type link struct {
	conn   net.Conn     // encrypted with -secure
	socket *net.TCPConn // beneath it

	mu      sync.Mutex
	queue   [][]byte
	sending bool
	ending  bool // close the connection when the queue is empty
	ended   bool
}

func (l *link) send(frame []byte) { l.enqueue(frame, false) }

// sendLast sends a frame and closes the connection after it.
func (l *link) sendLast(frame []byte) { l.enqueue(frame, true) }

func (l *link) enqueue(frame []byte, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending || l.ended {
		return
	}
	l.ending = last
	l.queue = append(l.queue, frame)
	if !l.sending {
		l.sending = true
		go l.drain()
	}
}

func (l *link) drain() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 || l.ended {
			l.sending = false
			l.queue = nil
			if l.ending {
				l.socket.Close()
			}
			l.mu.Unlock()
			return
		}
		frame := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		if _, err := l.conn.Write(frame); err != nil {
			// The reader of this connection learns of it and acts.
			l.close()
		}
	}
}

// close ends the connection without sending what waits.
func (l *link) close() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.socket.Close()
}
