package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// linkPoints is the points of each side of a link.
const linkPoints = 10_000_000

// linkMemory measures the memory of a process for a link whose points are in any order on both sides: what stays, and the
// most while it is opened. Both are multiples of the list of the points of the process. Rank 0 reports the greatest of all
// processes.
func (b *bench) linkMemory() error {
	ranks := b.p.Procs() / 2
	side, index := int(b.p.Rank())/ranks, int(b.p.Rank())%ranks
	list := slices.Clone(rand.New(rand.NewPCG(1, uint64(side))).Perm(linkPoints)[index*linkPoints/ranks : (index+1)*linkPoints/ranks])
	values := make([]int8, len(list))
	var members []acp.Rank
	for i := range ranks {
		members = append(members, acp.Rank(side*ranks+i))
	}
	m, err := couple.NewModel(b.p, [2]string{"from", "to"}[side], members)
	if err != nil {
		return err
	}
	before := privateMemory()
	// The most memory is counted from now on.
	err = errors.Join(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600), b.p.Sync())
	resident := statusBytes("VmRSS:")
	if err != nil {
		return err
	}
	f, err := couple.NewField(m, "x", values, couple.List(list), 1)
	if err != nil {
		return err
	}
	var end interface {
		Close(ctx context.Context) error
	}
	if side == 0 {
		end, err = f.SendTo(context.Background(), "to.x", couple.Options{})
	} else {
		end, err = f.ReceiveFrom(context.Background(), "from.x", couple.Options{})
	}
	if err := errors.Join(err, b.p.Sync()); err != nil {
		return err
	}
	peak := statusBytes("VmHWM:") - resident
	kept := privateMemory() - before
	size := float64(8 * len(list))
	err = errors.Join(b.reportMost("couplekept", float64(kept)/size), b.reportMost("couplepeak", float64(peak)/size))
	runtime.KeepAlive(list)
	return errors.Join(err, end.Close(context.Background()))
}

// reportMost reports the greatest of the figures of all ranks.
func (b *bench) reportMost(name string, value float64) error {
	if _, err := b.p.PutValue(fmt.Sprint(name, b.p.Rank()), binary.LittleEndian.AppendUint64(nil, math.Float64bits(value))); err != nil || b.p.Rank() > 0 {
		return err
	}
	most := 0.0
	for rank := range b.p.Procs() {
		theirs, _, err := b.p.WaitValue(fmt.Sprint(name, rank), 1)
		if err != nil {
			return err
		}
		most = max(most, math.Float64frombits(binary.LittleEndian.Uint64(theirs)))
	}
	report(name, most)
	return nil
}

// statusBytes returns what the kernel says of the memory of this process in a line of /proc/self/status.
func statusBytes(key string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] == key {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
