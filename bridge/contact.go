package bridge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// Contact is the description of one member for all other members: where it runs, where its memory is, and
// where its agent listens.
type Contact struct {
	Member   uint32 // number in the run
	Job      uint32 // number of its job; before [NewMembers], that of its launcher's job
	JobRank  uint32 // number in that job
	JobName  string // of its job, in this member; at most [MaxJobName] bytes
	App      uint32 // 1 + the number of its program among those of its launcher; 0: unknown
	Program  string // base name of its program; at most [MaxJobName] bytes
	Host     HostID
	HostName string // for messages; at most 255 bytes
	PID      uint32
	// StartTime distinguishes the process from a later one with the same pid, see [StartTime].
	StartTime     uint64
	MemFD         uint32 // descriptor number of the member's memory in its process
	MemSize       uint64 // bytes of that memory
	StarterOffset uint64 // where starter memory begins in it, bytes
	StarterSize   uint64 // bytes
	HeapOffset    uint64 // where the global heap begins in it, bytes
	HeapSize      uint64 // bytes
	Base          uint64 // address of the first byte of that memory in the member's process
	// Agent holds the addresses at which the member's agent listens, in order
	// of preference; at most [MaxAgents], without zones.
	Agent []netip.AddrPort
	Mode  Mode
	// MPI is the library whose launcher started the member, such as Open MPI
	// 4.1.4, as [LocalMPI] finds it; at most 255 bytes, empty without MPI.
	MPI  string
	RDMA RDMA // whether MPI's transport is RDMA hardware
	// Stays: the member cannot leave its epoch, in a run that can shrink.
	Stays bool
	// Extensions lists the extensions of the library in the member, as package extension encodes them; at
	// most [MaxExtensions] bytes.
	Extensions string
}

// MaxExtensions is the greatest length of the list of extensions in one [Contact], in bytes.
const MaxExtensions = 32 << 10

// MaxAgents is the greatest number of addresses in one [Contact].
const MaxAgents = 16

const (
	contactVersion = 7
	contactFixed   = 1 + 1 + 2 + 4 + 4*8 + 16 + 8*7
	maxLibrary     = 255
	agentSize      = 1 + 1 + 2 + 16
)

// ErrContact says that a blob is not the contact of a member of this version.
var ErrContact = errors.New("malformed contact")

// Append appends the encoding of c to b. It has fixed width and is little-endian. A host name
// or library of more than 255 bytes is cut off, and so are the end of a longer name of a job and
// agents beyond [MaxAgents]. Pure.
func (c *Contact) Append(b []byte) []byte {
	host := c.HostName[:min(len(c.HostName), maxHost)]
	library := c.MPI[:min(len(c.MPI), maxLibrary)]
	job := c.JobName[:min(len(c.JobName), MaxJobName)]
	program := c.Program[:min(len(c.Program), MaxJobName)]
	agents := c.Agent[:min(len(c.Agent), MaxAgents)]
	le := binary.LittleEndian
	b = append(b, contactVersion, byte(c.Mode), byte(len(host)), byte(len(agents)))
	b = append(b, byte(len(library)), byte(c.RDMA), byte(len(job)), byte(len(program)))
	for _, v := range [...]uint32{c.Member, c.Job, c.JobRank, c.App, c.PID, c.MemFD, uint32(flag(c.Stays)), uint32(len(c.Extensions))} {
		b = le.AppendUint32(b, v)
	}
	b = append(b, c.Host[:]...)
	for _, v := range [...]uint64{c.StartTime, c.MemSize, c.StarterOffset, c.StarterSize, c.HeapOffset, c.HeapSize, c.Base} {
		b = le.AppendUint64(b, v)
	}
	for _, a := range agents {
		b = appendAgent(b, a)
	}
	return append(append(append(append(append(b, host...), library...), job...), program...), c.Extensions...)
}

// An address is its family (4 or 6), a zero, the port and 16 bytes of address,
// of which IPv4 uses the first four.
func appendAgent(b []byte, a netip.AddrPort) []byte {
	var raw [16]byte
	family := byte(6)
	if addr := a.Addr().Unmap(); addr.Is4() {
		family = 4
		four := addr.As4()
		copy(raw[:], four[:])
	} else {
		raw = addr.As16()
	}
	b = append(b, family, 0)
	b = binary.LittleEndian.AppendUint16(b, a.Port())
	return append(b, raw[:]...)
}

func decodeAgent(b []byte) (netip.AddrPort, error) {
	port := binary.LittleEndian.Uint16(b[2:])
	raw := [16]byte(b[4:agentSize])
	switch {
	case b[1] != 0 || port == 0:
		return netip.AddrPort{}, fmt.Errorf("%w: agent address", ErrContact)
	case b[0] == 4 && [12]byte(raw[4:]) == [12]byte{}:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[:4])), port), nil
	case b[0] == 6 && !netip.AddrFrom16(raw).Is4In6():
		return netip.AddrPortFrom(netip.AddrFrom16(raw), port), nil
	}
	return netip.AddrPort{}, fmt.Errorf("%w: agent address", ErrContact)
}

// DecodeContact decodes what [Contact.Append] has encoded. It accepts no other version, no
// other length, and no memory region outside the member's memory. Errors wrap [ErrContact].
// Pure.
func DecodeContact(b []byte) (c Contact, err error) {
	err = c.decode(b)
	return c, err
}

// decode is DecodeContact into c. It keeps the strings of c that are the same, and uses the memory
// of its agents again.
func (c *Contact) decode(b []byte) error {
	if len(b) < contactFixed {
		return fmt.Errorf("%w: %d bytes", ErrContact, len(b))
	}
	if b[0] != contactVersion {
		return fmt.Errorf("%w: version %d, expected %d", ErrContact, b[0], contactVersion)
	}
	hostLen, agents, libraryLen, jobLen, programLen := int(b[2]), int(b[3]), int(b[4]), int(b[6]), int(b[7])
	if agents > MaxAgents || len(b) < contactFixed+agents*agentSize+hostLen+libraryLen+jobLen+programLen {
		return fmt.Errorf("%w: %d bytes with %d agents and names of %d, %d, %d and %d", ErrContact, len(b), agents, hostLen, libraryLen, jobLen, programLen)
	}
	c.Mode, c.RDMA = Mode(b[1]), RDMA(b[5])
	le, rest := binary.LittleEndian, b[8:]
	var stays, extensions uint32
	for _, p := range [...]*uint32{&c.Member, &c.Job, &c.JobRank, &c.App, &c.PID, &c.MemFD, &stays, &extensions} {
		*p, rest = le.Uint32(rest), rest[4:]
	}
	if c.Stays = stays == 1; stays > 1 {
		return fmt.Errorf("%w: %d for whether it stays", ErrContact, stays)
	}
	c.Host, rest = HostID(rest[:16]), rest[16:]
	for _, p := range [...]*uint64{&c.StartTime, &c.MemSize, &c.StarterOffset, &c.StarterSize, &c.HeapOffset, &c.HeapSize, &c.Base} {
		*p, rest = le.Uint64(rest), rest[8:]
	}
	c.Agent = c.Agent[:0]
	for range agents {
		a, err := decodeAgent(rest)
		if err != nil {
			return err
		}
		c.Agent, rest = append(c.Agent, a), rest[agentSize:]
	}
	if extensions > MaxExtensions || len(rest) != hostLen+libraryLen+jobLen+programLen+int(extensions) {
		return fmt.Errorf("%w: %d bytes with a list of extensions of %d", ErrContact, len(b), extensions)
	}
	for _, text := range [...]struct {
		to *string
		n  int
	}{{&c.HostName, hostLen}, {&c.MPI, libraryLen}, {&c.JobName, jobLen}, {&c.Program, programLen}, {&c.Extensions, int(extensions)}} {
		if *text.to != string(rest[:text.n]) {
			*text.to = string(rest[:text.n])
		}
		rest = rest[text.n:]
	}
	return c.check()
}

func (c *Contact) check() error {
	if !c.Mode.valid() {
		return fmt.Errorf("%w: mode %d", ErrContact, c.Mode)
	}
	if !c.RDMA.valid() {
		return fmt.Errorf("%w: RDMA hardware %d", ErrContact, c.RDMA)
	}
	for _, name := range [...]string{c.JobName, c.Program} {
		if name == "" {
			continue
		}
		if err := CheckJobName(name); err != nil {
			return fmt.Errorf("%w: %w", ErrContact, err)
		}
	}
	if !within(c.StarterOffset, c.StarterSize, c.MemSize) || !within(c.HeapOffset, c.HeapSize, c.MemSize) {
		return fmt.Errorf("%w: starter memory or heap lies outside the %d bytes of memory", ErrContact, c.MemSize)
	}
	return nil
}

func within(offset, size, total uint64) bool {
	return offset <= total && size <= total-offset
}

// where returns how messages name the member.
func (c *Contact) where() string {
	return fmt.Sprintf("rank %d (%s, host %s, pid %d)", c.Member, JobText(int(c.Job), c.JobName), c.HostName, c.PID)
}
