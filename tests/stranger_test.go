package tests

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// TestStrangers connects processes without the token of a run to it: to the rendezvous, and to
// every port on which its processes listen. The run refuses them and continues undisturbed.
func TestStrangers(t *testing.T) {
	const np = 3
	sandbox := suite.Sandbox(t)
	input, release := io.Pipe()
	defer release.Close()
	program := suite.C(t, "patient")
	run := sandbox.StartRead(input, "acprun", "-np", strconv.Itoa(np), "-net", "tcp", program)
	ready(t, run, np)

	rendezvous := ""
	for _, p := range sandbox.Processes() {
		if p.Executable() == program {
			rendezvous = p.Environ("ACP_RENDEZVOUS")
			token, err := os.ReadFile(fmt.Sprintf("/proc/%d/root%s", p.PID, p.Environ("ACP_TOKEN_FILE")))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(commandLine(p), strings.TrimSpace(string(token))) {
				t.Errorf("the token is on the command line of %v", p)
			}
		}
	}
	intrude(t, rendezvous, program)
	ports := listening(t, sandbox.Processes())
	if len(ports) < np+1 {
		t.Fatalf("%d ports are open, expected those of %d ranks and of the rendezvous", len(ports), np)
	}
	for addr := range ports {
		if ip := net.ParseIP(strings.Trim(addr[:strings.LastIndex(addr, ":")], "[]")); !ip.IsLoopback() {
			t.Errorf("a run on one host listens on %s, which is not loopback", addr)
		}
		for _, greeting := range greetingsOfStrangers() {
			refused(t, addr, greeting)
		}
	}

	fmt.Fprintln(release, "go on")
	release.Close()
	if r := run.Wait(); r.Status != 0 || !strings.Contains(r.Stdout, "unharmed") {
		t.Errorf("the run was disturbed: %v", r)
	}
}

// intrude starts a program as if it were a rank of the run, with another token.
func intrude(t *testing.T, rendezvous, program string) {
	t.Helper()
	sandbox := suite.Sandbox(t)
	for _, token := range []string{strings.Repeat("0", 64), strings.Repeat("5a", 32)} {
		file := sandbox.Write("token", token)
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
		sandbox.Env = []string{"ACP_RENDEZVOUS=" + rendezvous, "ACP_TOKEN_FILE=" + file, "ACP_JOB=0", "ACP_JOB_RANK=1", "ACP_NET=tcp"}
		r := sandbox.Run("", program)
		if r.Status == 0 || !strings.Contains(r.Stderr, "does not know the token") {
			t.Errorf("a process with a wrong token was let in: %v", r)
		}
	}
}

// greetingsOfStrangers are bytes that a process without the token might send.
func greetingsOfStrangers() map[string][]byte {
	random := make([]byte, 4096)
	_, _ = rand.Read(random)
	return map[string][]byte{
		"nothing": nil, "zeros": make([]byte, 4096), "random": random,
		"http": []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
	}
}

// refused checks that the other side closes a connection that begins with greeting, and sends no
// more than a challenge.
func refused(t *testing.T, addr string, greeting []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	_, _ = conn.Write(greeting)
	_ = conn.(*net.TCPConn).CloseWrite()
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	answer, err := io.ReadAll(conn)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Errorf("%s keeps a stranger's connection open", addr)
	}
	if len(answer) > 256 {
		t.Errorf("%s sent %d bytes to a stranger", addr, len(answer))
	}
}

func commandLine(p harness.Process) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
	return string(text)
}

// listening returns the TCP addresses that processes listen on.
func listening(t *testing.T, processes []harness.Process) map[string]bool {
	t.Helper()
	inodes := map[string]bool{}
	for _, p := range processes {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.PID))
		for _, fd := range fds {
			if link, err := os.Readlink(fd); err == nil && strings.HasPrefix(link, "socket:[") {
				inodes[strings.Trim(link[len("socket:"):], "[]")] = true
			}
		}
	}
	found := map[string]bool{}
	var tables []string
	for _, p := range processes { // each in its own network
		tables = append(tables, fmt.Sprintf("/proc/%d/net/tcp", p.PID), fmt.Sprintf("/proc/%d/net/tcp6", p.PID))
	}
	for _, table := range tables {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			const state, inode = 3, 9
			fields := strings.Fields(lines.Text())
			if len(fields) > inode && fields[state] == "0A" && inodes[fields[inode]] {
				found[address(t, fields[1])] = true
			}
		}
	}
	return found
}

// address reads an address of /proc/net/tcp: hexadecimal, each 32-bit word in the
// byte order of the machine.
func address(t *testing.T, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	var ip net.IP
	for i := 0; i+8 <= len(host); i += 8 {
		word, err := strconv.ParseUint(host[i:i+8], 16, 32)
		if err != nil {
			t.Fatalf("address %q: %v", text, err)
		}
		ip = append(ip, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		t.Fatalf("address %q: %v", text, err)
	}
	return net.JoinHostPort(ip.String(), strconv.FormatUint(number, 10))
}
