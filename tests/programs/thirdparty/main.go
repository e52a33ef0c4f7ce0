// Thirdparty lets rank 0 move memory from rank 1 to rank 2 and checks that the data
// did not pass through the network of rank 0.
//
//	acprun -np 3 -host host0,host1,host2 -smemsize 64m thirdparty
//
// Rank 0 must be alone on its host. The program prints how many bytes its network
// interfaces counted.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

// limit is the most bytes that the messages which control a transfer may have.
const limit = 1 << 20

func main() {
	rank.Main(func(p *acp.Process) error {
		if p.Procs() != 3 {
			return fmt.Errorf("%d ranks, expected 3", p.Procs())
		}
		memory := p.Starter()
		switch p.Rank() {
		case 1:
			pattern(memory)
		case 2:
			fill(memory, 0xaa)
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if p.Rank() == 0 {
			if err := move(p); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if p.Rank() != 2 {
			return nil
		}
		want := make([]byte, len(memory))
		pattern(want)
		if !bytes.Equal(memory, want) {
			return fmt.Errorf("the memory differs from that of rank 1")
		}
		return nil
	})
}

// move copies all starter memory of rank 1 to rank 2 and compares the counters of
// this host's network before and after.
func move(p *acp.Process) error {
	src, dst := rank.Must(p.StarterGA(1)), rank.Must(p.StarterGA(2))
	size := rank.Must(p.StarterSize(1))
	before, err := counted()
	if err != nil {
		return err
	}
	if _, err := p.Copy(dst, src, size, acp.HandleNull); err != nil {
		return err
	}
	if err := p.Complete(acp.HandleAll); err != nil {
		return err
	}
	after, err := counted()
	if err != nil {
		return err
	}
	fmt.Printf("moved %d bytes, counted %d\n", size, after-before)
	if after-before >= limit {
		return fmt.Errorf("the network of the initiator counted %d bytes, expected less than %d", after-before, limit)
	}
	return nil
}

// counted returns the bytes that all network interfaces but loopback have received
// and sent.
func counted() (uint64, error) {
	f, err := os.Open("/proc/self/net/dev")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var sum uint64
	interfaces := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, counters, ok := strings.Cut(lines.Text(), ":")
		fields := strings.Fields(counters)
		if !ok || strings.TrimSpace(name) == "lo" || len(fields) < 9 {
			continue
		}
		interfaces++
		for _, i := range []int{0, 8} {
			n, err := strconv.ParseUint(fields[i], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", f.Name(), err)
			}
			sum += n
		}
	}
	if interfaces == 0 {
		return 0, fmt.Errorf("%s: no network interface", f.Name())
	}
	return sum, lines.Err()
}

// pattern fills memory with numbers that do not repeat.
func pattern(memory []byte) {
	for i := 0; i+8 <= len(memory); i += 8 {
		binary.LittleEndian.PutUint64(memory[i:], uint64(i)*0x9e3779b97f4a7c15+1)
	}
}

func fill(memory []byte, value byte) {
	for i := range memory {
		memory[i] = value
	}
}
