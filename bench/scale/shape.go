package main

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// shape is how the ranks of a run are divided among hosts and jobs. Hosts and jobs have consecutive ranks.
// All but the last ones have as many ranks as the others.
type shape struct {
	ranks, perHost, jobs int
}

// spread divides the ranks among so many hosts, unless that is 0, and checks the shape.
func (s *shape) spread(hosts int) error {
	switch {
	case hosts < 0 || hosts > s.ranks:
		return fmt.Errorf("-hosts %d: expected 1 to the number of ranks, %d", hosts, s.ranks)
	case hosts > 0:
		s.perHost = (s.ranks + hosts - 1) / hosts
	}
	return s.check()
}

func (s shape) check() error {
	switch {
	case s.ranks < 1 || s.ranks > acp.MaxProcs:
		return fmt.Errorf("-ranks %d: expected 1 to %d", s.ranks, acp.MaxProcs)
	case s.perHost < 1:
		return fmt.Errorf("-per-host %d: expected 1 or more", s.perHost)
	case s.jobs < 1 || s.jobs > s.ranks:
		return fmt.Errorf("-jobs %d: expected 1 to the number of ranks, %d", s.jobs, s.ranks)
	}
	return nil
}

func (s shape) hosts() int        { return (s.ranks + s.perHost - 1) / s.perHost }
func (s shape) host(rank int) int { return rank / s.perHost }

// hostName returns the name of a host, as long as those of clusters are.
func hostName(host int) string { return fmt.Sprintf("node%06d", host) }

// job returns the job of a rank and the rank's number in it.
func (s shape) job(rank int) (job, jobRank int) {
	size := s.ranks / s.jobs
	job = min(rank/size, s.jobs-1)
	return job, rank - job*size
}

// jobList returns the jobs as a launcher knows them.
func (s shape) jobList() []bridge.Job {
	size := s.ranks / s.jobs
	list := make([]bridge.Job, s.jobs)
	for j := range list {
		list[j] = bridge.Job{Name: jobName(j), Size: size}
	}
	list[s.jobs-1].Size += s.ranks - s.jobs*size
	return list
}

func jobName(job int) string { return fmt.Sprintf("job%d", job) }

// identity returns what a rank tells the launcher.
func (s shape) identity(rank int) bridge.Identity {
	return bridge.Identity{PID: s.pid(rank), Host: hostName(s.host(rank))}
}

func (s shape) pid(rank int) int { return 1000 + rank%s.perHost }

// hostID returns the identity of a host, where that of host 0 is id.
func hostID(id bridge.HostID, host int) bridge.HostID {
	binary.BigEndian.PutUint32(id[:], binary.BigEndian.Uint32(id[:])^uint32(host))
	return id
}

// contact makes c, the contact of rank 0, that of a rank which runs as rank 0 does and whose agent has one
// address of IPv4.
func (s shape) contact(c *bridge.Contact, rank int) {
	host := s.host(rank)
	job, jobRank := s.job(rank)
	c.Member, c.Job, c.JobRank, c.JobName = uint32(rank), uint32(job), uint32(jobRank), jobName(job)
	c.Host, c.HostName = hostID(c.Host, host), hostName(host)
	if rank != 0 {
		c.PID = uint32(s.pid(rank))
	}
	addr := netip.AddrFrom4([4]byte{10, byte(host >> 16), byte(host >> 8), byte(host)})
	c.Agent = []netip.AddrPort{netip.AddrPortFrom(addr, uint16(1024+rank%s.perHost%60000))}
}
