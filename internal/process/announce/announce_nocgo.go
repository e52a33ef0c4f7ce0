//go:build !cgo

package announce

import (
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/envvar"
)

// answerLimit is how long a process waits for the answer, which macprun may be too busy or stopped
// to give.
const answerLimit = time.Second

// connection stays open until the process ends.
var connection net.Conn

func init() {
	token := os.Getenv(envvar.TokenFile)
	if token == "" {
		return
	}
	conn, err := net.DialTimeout("unix", filepath.Join(filepath.Dir(token), bridge.StartedSocketName), answerLimit)
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(answerLimit))
	if n, _ := conn.Read(make([]byte, 1)); n == 1 {
		connection = conn
		return
	}
	_ = conn.Close()
}
