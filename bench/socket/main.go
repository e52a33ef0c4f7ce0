// Socket measures what two Go programs get out of plain TCP sockets between the same
// two hosts: the measure for GMAs that cross the network.
//
//	socket serve HOST [FIGURE]            prints its address and serves one client
//	socket measure HOST:PORT [FIGURE]
//
// With a name it measures that figure alone. Figures between processes of one host, with the address 127.0.0.1, are those of
// the source "local socket".
//
// It measures the round trip of 8 bytes, of many messages of 8 bytes that are written at once and
// come back at once, writes of 80000 bytes and of 2 MiB that are answered by one byte, and the stream of the latter
// with one answer to all. The reader's buffer has that size too. Last are streams of an array of 10^6 doubles
// into another one, and of 16 MiB.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"
)

const (
	samples   = 9
	writeSize = 2 << 20
	arraySize = 8e6
	largeSize = 16 << 20

	// deadline ends a measurement if the other side has gone.
	deadline = time.Minute
)

func main() {
	err := errors.New("usage: socket serve HOST [FIGURE] | socket measure HOST:PORT [FIGURE]")
	if len(os.Args) == 4 {
		phases = slices.DeleteFunc(phases, func(p phase) bool { return p.name != os.Args[3] })
	}
	if len(os.Args) >= 3 && os.Args[1] == "serve" {
		err = serve(os.Args[2])
	} else if len(os.Args) >= 3 && os.Args[1] == "measure" {
		err = measure(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "socket:", err)
		os.Exit(1)
	}
}

// phase is a part of a measurement. The client writes a number of times a number of bytes and
// waits for the answer, which is one byte or the bytes themselves.
type phase struct {
	name   string
	loops  int // exchanges per sample
	writes int // per exchange
	size   int // bytes per write
	echo   bool
	parts  int // how many figures an exchange counts as
}

var phases = []phase{
	{"roundtrip", 1000, 1, 8, true, 1},
	{"batch8", 1000, 1, 8 * 8, true, 8},
	{"batch64", 500, 1, 64 * 8, true, 64},
	{"batch512", 200, 1, 512 * 8, true, 512},
	{"batch4096", 50, 1, 4096 * 8, true, 4096},
	{"write80k", 200, 1, 80000, false, 1},
	{"write2m", 20, 1, writeSize, false, 1},
	{"stream2m", 1, 32, writeSize, false, 32},
	{"streamarray", 1, 40, arraySize, false, 40},
	{"stream16m", 1, 20, largeSize, false, 20},
}

// answer returns the part of buf that the server writes as its answer.
func (p phase) answer(buf []byte) []byte {
	if p.echo {
		return buf[:p.size]
	}
	return buf[:1]
}

// serve answers one client.
func serve(host string) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(deadline)); err != nil {
		return err
	}
	c, err := l.Accept()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(deadline)); err != nil {
		return err
	}
	buf := make([]byte, largeSize)
	for _, ph := range phases {
		answer := ph.answer(buf)
		for range (samples + 1) * ph.loops {
			for range ph.writes {
				if _, err := io.ReadFull(c, buf[:ph.size]); err != nil {
					return err
				}
			}
			if _, err := c.Write(answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure reports for each phase several means of what one write takes.
func measure(addr string) error {
	c, err := net.DialTimeout("tcp", addr, deadline)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(deadline)); err != nil {
		return err
	}
	buf := make([]byte, largeSize)
	source := "socket"
	if host, _, err := net.SplitHostPort(addr); err == nil && net.ParseIP(host).IsLoopback() {
		source = "local socket"
	}
	for i := range buf {
		buf[i] = byte(i) // pages without a write are all the same one, which stays in the cache
	}
	for _, ph := range phases {
		answer := ph.answer(buf)
		for s := -1; s < samples; s++ {
			begin := time.Now()
			for range ph.loops {
				for range ph.writes {
					if _, err := c.Write(buf[:ph.size]); err != nil {
						return err
					}
				}
				if _, err := io.ReadFull(c, answer); err != nil {
					return err
				}
			}
			if s >= 0 {
				fmt.Printf("%s\t%s\t%.2f\n", source, ph.name, float64(time.Since(begin))/float64(ph.loops*ph.parts))
			}
		}
	}
	return nil
}
