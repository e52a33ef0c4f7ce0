package multidial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"
)

var errStranger = errors.New("a stranger")

// pipe returns a connection, which counts itself as open until it is closed.
func pipe(open *atomic.Int32) net.Conn {
	c, _ := net.Pipe()
	open.Add(1)
	return &counted{Conn: c, open: open}
}

type counted struct {
	net.Conn
	open *atomic.Int32
}

func (c *counted) Close() error {
	c.open.Add(-1)
	return c.Conn.Close()
}

// TestFirst lets addresses behave in all ways; one connection remains, or none.
func TestFirst(t *testing.T) {
	for _, c := range []struct {
		name  string
		addrs []string
		want  error
	}{
		{"the only one", []string{"peer"}, nil},
		{"after one that fails", []string{"stranger", "peer"}, nil},
		{"after one that is silent", []string{"silent", "peer"}, nil},
		{"after both", []string{"silent", "stranger", "silent", "peer"}, nil},
		{"before one that is silent", []string{"peer", "silent"}, nil},
		{"two at once", []string{"peer", "peer"}, nil},
		{"none", []string{"stranger", "stranger"}, errStranger},
		{"hangs up always", []string{"rude"}, io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			var open, running atomic.Int32
			conn, err := First(context.Background(), c.addrs, func(ctx context.Context, addr string) (net.Conn, error) {
				running.Add(1)
				defer running.Add(-1)
				switch addr {
				case "peer":
					return pipe(&open), nil
				case "silent":
					<-ctx.Done()
					return nil, ctx.Err()
				case "rude":
					return nil, fmt.Errorf("hangs up: %w", io.EOF)
				}
				return nil, errStranger
			})
			if !errors.Is(err, c.want) || (err == nil) != (conn != nil) {
				t.Errorf("connection %v, error %v, expected %v", conn, err, c.want)
			}
			if conn != nil {
				conn.Close()
			}
			if open.Load() != 0 || running.Load() != 0 {
				t.Errorf("%d connections are open, %d attempts under way", open.Load(), running.Load())
			}
		})
	}
}

// TestAgain lets the peer hang up a few times.
func TestAgain(t *testing.T) {
	var open atomic.Int32
	var calls []string
	conn, err := First(context.Background(), []string{"a", "b"}, func(_ context.Context, addr string) (net.Conn, error) {
		if calls = append(calls, addr); len(calls) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		return pipe(&open), nil
	})
	if err != nil || !slices.Equal(calls, []string{"a", "b", "a", "b"}) {
		t.Fatalf("called %v, %v", calls, err)
	}
	conn.Close()
}

// TestCancelled ends the context while an attempt is under way, and in a pause.
func TestCancelled(t *testing.T) {
	for _, silent := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := First(ctx, []int{1}, func(ctx context.Context, _ int) (net.Conn, error) {
			cancel()
			if silent {
				<-ctx.Done()
			}
			return nil, io.EOF
		})
		if err == nil {
			t.Error("no error")
		}
	}
}
