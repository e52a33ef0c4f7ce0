package tests

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestExplained: on a terminal a message says which page explains it, and the page has that heading.
func TestExplained(t *testing.T) {
	acprun, acpstat := suite.Bin(t, "acprun"), suite.Bin(t, "acpstat")
	file, err := os.Open(filepath.Join(filepath.Dir(filepath.Dir(acprun)), "share", "man", "man7", "acp-messages.7.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`; see man acp-messages, (.+)$`)
	for _, argv := range [][]string{
		{acprun, "-np", "2", "./absent"},
		{acprun, "-np", "2", "sh", "-c", "kill -9 $$"},
		{acprun, "-timeout", "1", "sleep", "60"},
		{acpstat, "nothing"},
	} {
		main, terminal := openTerminal(t)
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Stderr = t.TempDir(), terminal
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		line, _ := bufio.NewReader(main).ReadString('\n')
		_ = cmd.Wait()
		m := address.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			t.Errorf("%v prints %q, expected the page that explains it", argv, line)
			continue
		}
		if heading := ".SH \"" + strings.ToUpper(m[1]) + "\"\n"; !strings.Contains(string(page), heading) {
			t.Errorf("%v names the heading %s, which acp-messages has not", argv, m[1])
		}
	}
}

// openTerminal returns both ends of a new pseudo terminal.
func openTerminal(t *testing.T) (main, terminal *os.File) {
	t.Helper()
	main, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { main.Close() })
	if err := unix.IoctlSetPointerInt(int(main.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(main.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return main, terminal
}
