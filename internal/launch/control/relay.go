package control

import (
	"encoding/json"
	"io"
)

// Relay connects a launcher on another host with the launcher of a run on this one. in and out are the ends of the
// remote shell. Returns when either launcher has closed the connection. If the run cannot be reached, the other
// launcher gets the reason as the reply.
func Relay(dirs RunDirs, run string, in io.Reader, out io.Writer) error {
	conn, err := Dial(dirs, run)
	if err != nil {
		return json.NewEncoder(out).Encode(reply{Refused: err.Error()})
	}
	defer conn.Close()
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(conn, in)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(out, conn)
		ended <- err
	}()
	return <-ended
}
