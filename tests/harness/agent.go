package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A host has no access to another host, so a remote shell needs a server outside, as ssh needs
// sshd. The agent is the test binary itself: it passes its standard files and the command to the
// server in the test, which starts the command on the host. As with ssh, the agent does not pass
// the environment on, it joins the words for a shell, and the command survives the death of the
// agent.

// agentArg makes a test binary an agent: -acp-agent SOCKET HOST COMMAND …
const agentArg = "-acp-agent"

// agentFailure is the exit status if the remote shell itself has failed, the same as that of ssh.
const agentFailure = 255

// errand is the request of an agent.
type errand struct {
	Host    string
	Command string // for a shell
}

// agentMain is the agent process; it returns the exit status of the command.
func agentMain(args []string) int {
	status, err := runErrand(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		return agentFailure
	}
	return status
}

func runErrand(args []string) (int, error) {
	// Hydra passes an option against forwarding of X11 to every remote shell.
	if len(args) > 1 && args[1] == "-x" {
		args = slices.Delete(args, 1, 2)
	}
	if len(args) < 3 {
		return 0, fmt.Errorf("expected SOCKET HOST COMMAND, found %q", args)
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: args[0], Net: "unix"})
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	text, err := json.Marshal(errand{Host: args[1], Command: strings.Join(args[2:], " ")})
	if err != nil {
		return 0, err
	}
	if _, _, err := conn.WriteMsgUnix(text, syscall.UnixRights(0, 1, 2), nil); err != nil {
		return 0, err
	}
	// Now only the command has the files open, so its end closes them.
	for fd := range 2 {
		_ = syscall.Close(fd)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(answer))
}

// serveAgents runs the errands of agents until the test ends, and returns the name
// of the socket.
func (w *network) serveAgents(t *testing.T, dir string, env []string) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "agent-*.sock")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	os.Remove(f.Name())
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: f.Name(), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			go w.serve(conn, env)
		}
	}()
	return f.Name()
}

// serve executes the errand of one agent.
func (w *network) serve(conn *net.UnixConn, env []string) {
	defer conn.Close()
	var text [1 << 16]byte
	var rights [256]byte
	n, oobn, _, _, err := conn.ReadMsgUnix(text[:], rights[:])
	if err != nil {
		return
	}
	files, err := receivedFiles(rights[:oobn])
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if err != nil || len(files) != 3 {
		return
	}
	var e errand
	if json.Unmarshal(text[:n], &e) != nil {
		return
	}
	cmd := exec.Command(w.onHost, e.Host, "sh", "-c", e.Command)
	cmd.Dir, cmd.Env = "/", env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	status := agentFailure
	if err := cmd.Start(); err == nil {
		for _, f := range files {
			f.Close()
		}
		_ = cmd.Wait()
		if status = cmd.ProcessState.ExitCode(); status < 0 {
			status = agentFailure
		}
	}
	_, _ = conn.Write([]byte(strconv.Itoa(status)))
}

func receivedFiles(rights []byte) ([]*os.File, error) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for i := range messages {
		fds, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "of the agent"))
		}
	}
	return files, nil
}

// IsAgent reports whether a process is the remote shell of the sandbox.
func (b *Sandbox) IsAgent(process Process) bool {
	self, err := os.Executable()
	return err == nil && process.Executable() == self
}
