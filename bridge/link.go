package bridge

import (
	"net"
	"sync"
)

// link is the server's side of one connection. Sending never blocks: frames wait in a queue. A
// goroutine empties the queue, and lives only while there are frames. Links share frames and
// never change them.
//
// The queue is short: a member cannot begin the next exchange before it has read the result of
// the last one.
type link struct {
	conn   net.Conn     // encrypted with -secure
	socket *net.TCPConn // that carries conn

	mu      sync.Mutex
	queue   [][]byte
	sending bool
	ending  bool // close the connection when the queue is empty
	ended   bool
}

func (l *link) send(frame []byte) { l.enqueue(frame, false) }

// sendChange sends a change, whose frame is not too long: it was sent to other members before.
func (l *link) sendChange(c Change) {
	if frame, err := changeFrame(c); err == nil {
		l.send(frame)
	}
}

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
			// The reader of this connection notices the end and handles it.
			l.close()
		}
	}
}

// close ends the connection and drops the frames that wait.
func (l *link) close() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.socket.Close()
}
