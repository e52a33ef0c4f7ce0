package pmi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The variables that a launcher sets.
const (
	envFD   = "PMI_FD"
	envRank = "PMI_RANK"
	envSize = "PMI_SIZE"
)

// maxLine bounds an answer, in bytes.
const maxLine = 64 << 10

// ErrProtocol: the launcher's answer violates the protocol.
var ErrProtocol = errors.New("PMI: the launcher does not speak version 1 of the protocol")

// Client is the connection of a process to its launcher. It is for one goroutine.
type Client struct {
	rank, size int
	conn       net.Conn
	reader     *bufio.Reader
	space      string // name of the values of this job
	maxValue   int    // bytes of a value
}

// Offered reports whether a launcher with PMI has started this process, by the variables from getenv
// (os.Getenv). A child of such a process inherits the variables, but not the socket.
func Offered(getenv func(string) string) bool {
	fd, err := number(getenv, envFD)
	if err != nil || getenv(envRank) == "" {
		return false
	}
	_, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil
}

// Open takes over the connection that the variables describe, which getenv (os.Getenv) returns. A
// process can do so once. Blocks until the launcher answers, or ctx is done. Errors name the variable
// that is wrong.
func Open(ctx context.Context, getenv func(string) string) (*Client, error) {
	c := &Client{}
	fd, err := number(getenv, envFD)
	if err == nil {
		c.rank, err = number(getenv, envRank)
	}
	if err == nil {
		c.size, err = number(getenv, envSize)
	}
	if err != nil {
		return nil, err
	}
	if c.rank >= c.size {
		return nil, fmt.Errorf("environment: %s is %d, expected more than %s, which is %d", envSize, c.size, envRank, c.rank)
	}
	file := os.NewFile(uintptr(fd), "PMI")
	defer file.Close()
	if c.conn, err = net.FileConn(file); err != nil {
		return nil, fmt.Errorf("environment: %s=%d: expected the socket of the launcher: %w", envFD, fd, err)
	}
	c.reader = bufio.NewReaderSize(c.conn, maxLine)
	if err := c.greet(ctx); err != nil {
		c.conn.Close()
		return nil, err
	}
	return c, nil
}

// greet agrees on the version, and asks for the name and the length of values.
func (c *Client) greet(ctx context.Context) error {
	if _, err := c.ask(ctx, "init pmi_version=1 pmi_subversion=1", "response_to_init"); err != nil {
		return err
	}
	limits, err := c.ask(ctx, "get_maxes", "maxes")
	if err != nil {
		return err
	}
	if c.maxValue, err = strconv.Atoi(limits["vallen_max"]); err != nil || c.maxValue < 1 {
		return fmt.Errorf("%w: longest value %q", ErrProtocol, limits["vallen_max"])
	}
	name, err := c.ask(ctx, "get_my_kvsname", "my_kvsname")
	if err != nil {
		return err
	}
	if c.space = name["kvsname"]; c.space == "" {
		return fmt.Errorf("%w: no name of the values", ErrProtocol)
	}
	return nil
}

// Rank returns the number of this process in the job. Does not block.
func (c *Client) Rank() int { return c.rank }

// Size returns the number of processes of the job. Does not block.
func (c *Client) Size() int { return c.size }

// MaxValue returns how many bytes a value may have. Does not block.
func (c *Client) MaxValue() int { return c.maxValue - 1 } // one for the zero byte of launchers in C

// nameOf returns the name of a value of a process. All processes of the job have one set of names.
func nameOf(rank int, key string) string { return fmt.Sprint(key, "-", rank) }

// Put stores a value, which other processes get after the next barrier. Neither key nor value has blanks,
// line ends or the character =. Blocks until the launcher answers, or ctx is done.
func (c *Client) Put(ctx context.Context, key, value string) error {
	if len(value) > c.MaxValue() || strings.ContainsAny(key+value, " \n=") {
		return fmt.Errorf("PMI: a value of %d bytes cannot be stored under %q", len(value), key)
	}
	_, err := c.ask(ctx, fmt.Sprintf("put kvsname=%s key=%s value=%s", c.space, nameOf(c.rank, key), value), "put_result")
	return err
}

// Get returns the value that a process has stored before the last barrier. It fails if there is none.
// Blocks until the launcher answers, or ctx is done.
func (c *Client) Get(ctx context.Context, rank int, key string) (string, error) {
	answer, err := c.ask(ctx, fmt.Sprintf("get kvsname=%s key=%s", c.space, nameOf(rank, key)), "get_result")
	return answer["value"], err
}

// Barrier waits until all processes of the job have called it, or ctx is done.
func (c *Client) Barrier(ctx context.Context) error {
	_, err := c.ask(ctx, "barrier_in", "barrier_out")
	return err
}

// Lost returns nil: launchers with PMI have a process on each host, which ends the processes of a job when
// the launcher has ended.
func (c *Client) Lost() <-chan struct{} { return nil }

// Abort asks the launcher to end the job with an exit status. There is no answer. Does not block for
// long.
func (c *Client) Abort(status int) {
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
	fmt.Fprintf(c.conn, "cmd=abort exitcode=%d\n", status)
}

// Close informs the launcher that the process ends in order. Blocks until it answers, or ctx is done.
func (c *Client) Close(ctx context.Context) error {
	defer c.conn.Close()
	_, err := c.ask(ctx, "finalize", "finalize_ack")
	return err
}

// ask sends a request and returns the words of its answer.
func (c *Client) ask(ctx context.Context, request, answer string) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })()
	_, err := c.conn.Write([]byte("cmd=" + request + "\n"))
	var line []byte
	if err == nil {
		line, err = c.reader.ReadSlice('\n')
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%w: an answer of more than %d bytes", ErrProtocol, maxLine)
	case err != nil:
		return nil, fmt.Errorf("PMI: connection to the launcher: %w", err)
	}
	command, _, _ := strings.Cut(request, " ")
	return parse(string(line), command, answer)
}

// parse returns the words of the answer to a command. Fails if the line is another answer or reports a
// failure.
func parse(line, command, answer string) (map[string]string, error) {
	words := map[string]string{}
	for word := range strings.FieldsSeq(line) {
		key, value, found := strings.Cut(word, "=")
		if !found {
			return nil, fmt.Errorf("%w: %.99q in the answer to %s", ErrProtocol, word, command)
		}
		words[key] = value
	}
	if words["cmd"] != answer {
		return nil, fmt.Errorf("%w: %s was answered by %.99q", ErrProtocol, command, words["cmd"])
	}
	if rc, has := words["rc"]; has && rc != "0" {
		return nil, fmt.Errorf("PMI: the launcher refuses %s: status %.99s, %.99q", command, rc, words["msg"])
	}
	return words, nil
}

// number returns the value of a variable that is a number from 0.
func number(getenv func(string) string, name string) (int, error) {
	text := getenv(name)
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("environment: %s=%q: expected the number that the launcher gave to this process", name, text)
	}
	return int(n), nil
}
