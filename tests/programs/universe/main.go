// Universe joins the jobs of a run as acp_init does, without the fabrics. Every process checks
// the communicator and prints its universe:
//
//	rank 3: number 2 of 5 in its universe
//	rank 4: in no universe
//
// With -hold it waits for the end of the run, with -early it ends MPI before it leaves the
// universe, which is an error.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/mpi"
)

func main() {
	limit := flag.Duration("limit", bridge.JoinLimit, "time limit of joining")
	hold := flag.Bool("hold", false, "say the pid and wait")
	early := flag.Bool("early", false, "end MPI before leaving")
	flag.Parse()
	boot, err := bridge.Start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := run(boot, *limit, *hold, *early); err != nil {
		boot.Abort(bridge.Abort{Reason: err.Error()})
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", boot.Member(), err)
		os.Exit(1)
	}
}

func run(boot bridge.Bootstrap, limit time.Duration, hold, early bool) error {
	ctx := context.Background()
	members, err := exchange(ctx, boot)
	if err != nil {
		return err
	}
	u, err := bridge.Join(ctx, boot, members, limit)
	if err != nil {
		return err
	}
	if err := report(boot.Member(), members, u); err != nil {
		return err
	}
	if hold {
		fmt.Printf("rank %d pid %d\n", boot.Member(), os.Getpid())
		<-boot.Lost()
		return boot.Err()
	}
	if _, err := boot.Exchange(ctx, nil); err != nil {
		return err
	}
	if early {
		return mpi.Finalize()
	}
	if err := u.Close(); err != nil {
		return err
	}
	return boot.Close()
}

// exchange makes the table of members.
func exchange(ctx context.Context, boot bridge.Bootstrap) (*bridge.Members, error) {
	cfg, err := acp.ConfigFromEnv(os.Getenv)
	if err != nil {
		return nil, err
	}
	rdma, err := bridge.DetectRDMA(os.Getenv, os.DirFS(bridge.RDMADevices))
	if err != nil {
		return nil, err
	}
	host, err := bridge.LocalHost()
	if err != nil {
		return nil, err
	}
	job, jobRank := boot.JobRank()
	c := bridge.Contact{
		Member: uint32(boot.Member()), Job: uint32(job), JobRank: uint32(jobRank), Host: host,
		PID: uint32(os.Getpid()), Mode: cfg.Mode, MPI: bridge.LocalMPI(os.Getenv), RDMA: rdma,
		Agent: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")}, // no process listens
	}
	if c.HostName, err = os.Hostname(); err != nil {
		return nil, err
	}
	blobs, err := boot.Exchange(ctx, c.Append(nil))
	if err != nil {
		return nil, err
	}
	return bridge.NewMembers(blobs)
}

// report prints the universe of the process and checks every process of the universe against
// the table.
func report(self int, members *bridge.Members, u *bridge.Universe) error {
	if u == nil {
		fmt.Printf("rank %d: in no universe\n", self)
		return nil
	}
	mine := binary.LittleEndian.AppendUint32(nil, uint32(self))
	all, err := u.Comm().Allgather(mine)
	if err != nil {
		return err
	}
	number, _ := members.InUniverse(self, self)
	fmt.Printf("rank %d: number %d of %d in its universe\n", self, number, len(all)/len(mine))
	joined := 0
	for i := range members.Len() {
		n, ok := members.InUniverse(self, i)
		if !ok {
			continue
		}
		joined++
		if want := binary.LittleEndian.AppendUint32(nil, uint32(i)); !bytes.Equal(all[int(n)*4:][:4], want) {
			return fmt.Errorf("rank %d is not number %d of the universe", i, n)
		}
	}
	if joined != len(all)/len(mine) {
		return fmt.Errorf("%d ranks in the table, %d in the communicator", joined, len(all)/len(mine))
	}
	return nil
}
