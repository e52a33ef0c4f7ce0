package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// HostID is equal for two processes if they can share memory: they have the same kernel and the same
// namespaces. The name of the host does not suffice: two hosts may have the same name, and two containers on
// one host may have different names.
type HostID [16]byte

// String returns the first eight hexadecimal digits, for messages.
func (h HostID) String() string { return hex.EncodeToString(h[:4]) }

// LocalHost returns the identity of this host: a hash of the kernel's boot id and of the namespaces that
// separate processes. The pid and user namespaces decide whether the memory of a peer can be opened through
// /proc. The network namespace is part of it because a container with its own network counts as a separate
// host. Fails if /proc is not mounted. Safe for concurrent use.
func LocalHost() (HostID, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return HostID{}, fmt.Errorf("host identity: %w", err)
	}
	parts := []string{strings.TrimSpace(string(boot))}
	for _, ns := range []string{"net", "pid", "user"} {
		link, err := os.Readlink("/proc/self/ns/" + ns)
		if err != nil {
			return HostID{}, fmt.Errorf("host identity: %w", err)
		}
		parts = append(parts, link)
	}
	return hashHost(parts), nil
}

func hashHost(parts []string) HostID {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return HostID(sum[:16])
}
