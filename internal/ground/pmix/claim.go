package pmix

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"

	"golang.org/x/sys/unix"
)

// claim reserves the rank that the launcher has assigned to this process. Programs that a rank starts inherit
// its environment, and without the claim the launcher would take them for the rank.
type claim struct{ socket *net.UnixListener }

// claimRank makes the claim of this process. The name of a socket is free again when the process has ended.
func claimRank(getenv func(string) string) (*claim, error) {
	words := []string{getenv(envSpace), getenv(envRank)}
	for _, name := range envServers {
		words = append(words, getenv(name))
	}
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	name := "@goacp-pmix-" + hex.EncodeToString(sum[:16]) // an abstract name, which is in no folder
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, fmt.Errorf("PMIx: another process is rank %s of this job already: a program that it starts is no process of the job; start it with acprun", getenv(envRank))
	}
	if err != nil {
		return nil, fmt.Errorf("PMIx: %w", err)
	}
	return &claim{socket}, nil
}

// release ends the claim.
func (c *claim) release() { c.socket.Close() }
