package collective

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Call is a call of a collective function. The zero value is that of acp_sync.
type Call struct {
	Function Function
	Number   uint64 // of the workspace that is destroyed, otherwise 0
	Name     string // of a Named function, with what it is called for; at most MaxName bytes
}

// MaxName is the greatest length of the name of a call.
const MaxName = 64

// Function is a collective function. The numbers travel between ranks.
type Function uint8

// The collective functions.
const (
	Sync Function = iota // is 0, so that C need not add it to sums
	Finalize
	Reset
	CreateWorkspace
	DestroyWorkspace
	Named // a function of an extension
	Adopt
)

var functionNames = [...]string{
	Sync: "acp_sync", Finalize: "acp_finalize", Reset: "acp_reset",
	CreateWorkspace: "acp_create_ws", DestroyWorkspace: "acp_destroy_ws", Named: "function of an extension", Adopt: "acp_adopt",
}

// String returns the name of the function in C.
func (f Function) String() string {
	if int(f) >= len(functionNames) {
		return fmt.Sprintf("function %d", uint8(f))
	}
	return functionNames[f]
}

// Verb returns what the function does, in errors of calls.
func (f Function) Verb() string {
	return [...]string{
		Sync: "sync", Finalize: "finalize", Reset: "reset",
		CreateWorkspace: "create workspace", DestroyWorkspace: "destroy workspace", Named: "call an extension", Adopt: "adopt",
	}[f]
}

// String says what the rank has called, as users know it.
func (c Call) String() string {
	if c.Name != "" {
		return c.Name
	}
	if c.Number != 0 {
		return fmt.Sprintf("%v for workspace %d", c.Function, uint32(c.Number))
	}
	return c.Function.String()
}

// Mark returns the number that stands for the call at barriers: 0 for acp_sync, otherwise
// one that looks random. The ranks compare sums of marks. That the marks of different calls
// add up to n times one mark is so unlikely that it does not happen.
func (c Call) Mark() uint64 {
	if c.Function == Sync {
		return 0
	}
	x := (c.Number^hash(c.Name))<<8 | uint64(c.Function)
	// The finalizer of SplitMix64.
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hash returns a number that stands for a name, and 0 for no name.
func hash(name string) uint64 {
	if name == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Progress is what a rank tells others about its collective calls.
type Progress struct {
	Call       Call   // the call in which the rank waits; that of acp_sync if it waits in none
	Barriers   uint64 // how many barriers the rank has begun
	Finalizing bool   // MPI_Finalize has begun
}

// progressHead is the length of an encoded Progress without the name of the call, and
// ProgressBytes is the greatest length with one.
const (
	progressHead  = 18
	ProgressBytes = progressHead + MaxName
)

func (g Progress) encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(g.Call.Function)}, g.Call.Number)
	b = binary.LittleEndian.AppendUint64(b, g.Barriers)
	finalizing := byte(0)
	if g.Finalizing {
		finalizing = 1
	}
	return append(append(b, finalizing), g.Call.Name...)
}

func decodeProgress(b []byte) (Progress, error) {
	if len(b) < progressHead || len(b) > ProgressBytes || b[17] > 1 {
		return Progress{}, fmt.Errorf("malformed answer of %d bytes about collective functions, expected %d to %d", len(b), progressHead, ProgressBytes)
	}
	c := Call{Function(b[0]), binary.LittleEndian.Uint64(b[1:]), string(b[progressHead:])}
	return Progress{c, binary.LittleEndian.Uint64(b[9:]), b[17] == 1}, nil
}
