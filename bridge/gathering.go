package bridge

import (
	"fmt"
	"net/netip"
	"slices"
)

// gathering makes a table of members from their contacts, in member order.
type gathering struct {
	m       *Members
	before  program // of the member before
	contact Contact // of the member before, whose strings serve again

	hosts map[host]uint32
	kinds map[kind]uint32
	addrs map[string]uint32 // by the addresses as bytes
	key   []byte            // of addrs
}

// add takes the contact of the member of row i, which is the next one.
func (g *gathering) add(i int, blob []byte) error {
	m, c := g.m, &g.contact
	if err := c.decode(blob); err != nil {
		return err
	}
	if err := g.place(i); err != nil {
		return err
	}
	k := kind{
		job: uint32(len(m.jobs) - 1), host: numberOf(g.hosts, &m.hosts, host{c.Host, c.HostName}), memSize: c.MemSize,
		starterOffset: c.StarterOffset, starterSize: c.StarterSize, heapOffset: c.HeapOffset, heapSize: c.HeapSize,
		library: indexOf(c.MPI, &m.libraries), extensions: indexOf(c.Extensions, &m.offers), addrs: g.addresses(), mode: c.Mode, rdma: c.RDMA, stays: c.Stays,
	}
	m.rows[i] = row{
		startTime: c.StartTime, pid: c.PID, memFD: c.MemFD,
		kind: numberOf(g.kinds, &m.kinds, k), ports: uint32(len(m.ports)),
	}
	m.bases[i] = c.Base
	for _, a := range c.Agent {
		m.ports = append(m.ports, a.Port())
	}
	return nil
}

// numberOf returns the index of x in list, and adds x if it is new.
func numberOf[T comparable](numbers map[T]uint32, list *[]T, x T) uint32 {
	n, known := numbers[x]
	if !known {
		n = uint32(len(*list))
		numbers[x] = n
		*list = append(*list, x)
	}
	return n
}

// place checks the numbers of the member of row i against those before it.
func (g *gathering) place(i int) error {
	m, c := g.m, &g.contact
	if c.Member != uint32(m.origin.Member+i) {
		return fmt.Errorf("%w: it calls itself rank %d", ErrContact, c.Member)
	}
	world := c.Job - uint32(m.origin.World)
	begins := world == uint32(len(m.worlds))
	if begins {
		m.worlds = append(m.worlds, uint32(i))
		if m.origin.Later {
			m.process = c.JobRank
		}
	}
	if own := (program{c.App, c.Program}); begins || len(m.jobs) > 0 && own.differs(g.before) {
		m.jobs = append(m.jobs, uint32(i))
		m.worldOf = append(m.worldOf, uint32(len(m.worlds)-1))
		m.names = append(m.names, c.JobName)
		m.programs = append(m.programs, own)
	}
	g.before = program{c.App, c.Program}
	if world+1 != uint32(len(m.worlds)) || c.JobRank != m.process+uint32(i)-m.worlds[len(m.worlds)-1] {
		return fmt.Errorf("%w: it calls itself number %d of job %d", ErrContact, c.JobRank, c.Job)
	}
	return nil
}

// indexOf returns the index of a text in list, and adds the text if it is new. There are few.
func indexOf(text string, list *[]string) uint32 {
	i := slices.Index(*list, text)
	if i < 0 {
		i = len(*list)
		*list = append(*list, text)
	}
	return uint32(i)
}

// addresses returns the index of the list of addresses of the agent, and adds the list if it is new.
func (g *gathering) addresses() uint32 {
	g.key = g.key[:0]
	for _, a := range g.contact.Agent {
		g.key = appendAgent(g.key, netip.AddrPortFrom(a.Addr(), 0))
	}
	if n, known := g.addrs[string(g.key)]; known {
		return n
	}
	list := make([]netip.Addr, len(g.contact.Agent))
	for i, a := range g.contact.Agent {
		list[i] = a.Addr()
	}
	g.addrs[string(g.key)] = uint32(len(g.m.addrs))
	g.m.addrs = append(g.m.addrs, list)
	return uint32(len(g.m.addrs) - 1)
}
