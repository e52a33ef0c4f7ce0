package liveness

import "time"

// Limits says how patient this process is with other hosts. The zero value means the
// defaults.
type Limits struct {
	// Silence is how long a host may leave what was sent to it unacknowledged before
	// this process asks whether it is there. 0: DefaultSilence.
	Silence time.Duration

	// Connect is how long the kernel at one address may take to accept a connection.
	// 0: DefaultConnect.
	Connect time.Duration
}

// Defaults of Limits. A host that has vanished is noticed after DefaultSilence and the
// time of one unanswered question, together about ten seconds.
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
