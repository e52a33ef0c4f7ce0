package liveness

import "time"

// Limits are how long this process waits for other hosts. The zero value means the defaults.
type Limits struct {
	// Silence is how long a host may leave data unacknowledged before this process probes it by a new
	// connection. 0: DefaultSilence.
	Silence time.Duration

	// Connect is how long the kernel at one address may take to accept a connection.
	// 0: DefaultConnect.
	Connect time.Duration
}

// Defaults of Limits. A process detects that a host has vanished after DefaultSilence and one unanswered
// probe, together about ten seconds.
const (
	DefaultSilence = 8 * time.Second
	DefaultConnect = 10 * time.Second
)

func (l Limits) silence() time.Duration {
	if l.Silence > 0 {
		return l.Silence
	}
	return DefaultSilence
}

func (l Limits) connect() time.Duration {
	if l.Connect > 0 {
		return l.Connect
	}
	return DefaultConnect
}
