package survey

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/goacp/goacp/internal/launch/usersocket"
)

// SocketName is the name of the socket of a launcher in the private directory of its run.
const SocketName = "survey"

// PartSocketName is the name of the socket of an acprun that starts a part of a run, from a rank on.
func PartSocketName(first int) string { return fmt.Sprintf("%s-%d", SocketName, first) }

// PartCountName is the name of another socket of that acprun. Before it answers there, it saves the changed
// tables of its ranks on other hosts in that directory.
func PartCountName(first int) string { return fmt.Sprintf("count-%d", first) }

// answerLimit is how long an answer may take to be written or read.
const answerLimit = 10 * time.Second

// maxAnswer bounds the bytes of an answer.
const maxAnswer = 1 << 30

// Listen begins to answer connections to the socket path. It calls answer on goroutines of its own and sends the
// result as JSON.
func Listen(path string, answer func() any) (*usersocket.Server, error) {
	server, err := usersocket.Listen(path, func(conn *net.UnixConn) {
		_ = conn.SetDeadline(time.Now().Add(answerLimit))
		// The other side may have closed the connection.
		_ = json.NewEncoder(conn).Encode(answer())
	})
	if err != nil {
		return nil, fmt.Errorf("socket for acpstat: %w", err)
	}
	return server, nil
}

// Ask connects to the socket path and stores the reply in answer.
func Ask(path string, answer any) error {
	conn, err := net.DialTimeout("unix", path, answerLimit)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerLimit))
	if err := json.NewDecoder(io.LimitReader(conn, maxAnswer)).Decode(answer); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
