package acp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"os"
	"runtime"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/barrier"
	"github.com/goacp/goacp/internal/channel"
	"github.com/goacp/goacp/internal/collective"
	"github.com/goacp/goacp/internal/direct"
	"github.com/goacp/goacp/internal/endpoint"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/ga"
	"github.com/goacp/goacp/internal/global"
	"github.com/goacp/goacp/internal/gma"
	"github.com/goacp/goacp/internal/hashed"
	"github.com/goacp/goacp/internal/network"
	"github.com/goacp/goacp/internal/pid"
	"github.com/goacp/goacp/internal/segbuf"
	"github.com/goacp/goacp/internal/wait"
	"github.com/goacp/goacp/internal/workspace"
)

// Open makes this process a rank of the run that cfg describes.
//
// Fails if the other ranks cannot be reached, or cannot be reached in the mode asked
// for. Collective. Blocks until every rank has called it; ctx bounds that. Not for
// concurrent use. Spec 4.1.1.
func Open(ctx context.Context, cfg Config) (*Process, error) {
	if cfg.StarterSize == 0 {
		cfg.StarterSize = DefaultStarterSize
	}
	if cfg.ChannelSize == 0 {
		cfg.ChannelSize = DefaultChannelSize
	}
	if cfg.Bootstrap == nil {
		boot, err := bridge.Start(ctx)
		if err != nil {
			return nil, &OpError{Op: "init", Rank: -1, Err: err}
		}
		cfg.Bootstrap = boot
	}
	p := &Process{
		cfg:     cfg,
		boot:    cfg.Bootstrap,
		self:    cfg.Bootstrap.Member(),
		procs:   cfg.Bootstrap.Size(),
		closing: make(chan struct{}),
	}
	p.running, p.stop = context.WithCancel(context.Background())
	if err := p.open(ctx); err != nil {
		// The others must not wait for this rank.
		p.boot.Abort(fmt.Sprintf("rank %d could not start: %v", p.self, err))
		p.abandon()
		return nil, &OpError{Op: "init", Rank: Rank(p.self), Err: err}
	}
	return p, nil
}

func (p *Process) open(ctx context.Context) error {
	if p.procs > MaxProcs {
		return fmt.Errorf("%d processes: at most %d ranks are possible", p.procs, MaxProcs)
	}
	if err := p.setUpWaiting(); err != nil {
		return err
	}
	// Before there are fabrics, whose errors name ranks.
	p.ranks = ga.NewRanks(p.procs, p.self)
	p.segbufs = segbuf.New(p.ranks, p.cond)
	host, local, err := p.exchangeHosts(ctx)
	if err != nil {
		return err
	}
	rdma, err := bridge.DetectRDMA(os.Getenv, os.DirFS(bridge.RDMADevices))
	if err != nil {
		return err
	}
	if p.cfg.HeapSize == 0 {
		p.cfg.HeapSize = defaultHeap(p.cfg.Mode, rdma, local)
	}
	run := runOf(p.boot.Token())
	if p.space, err = segment.New(run, p.self, p.cfg.layout()); err != nil {
		return err
	}
	listener, err := network.Listen(p.boot.Address(), local)
	if err != nil {
		return err
	}
	contact, err := p.contact(host, rdma, listener.Addrs())
	if err == nil {
		err = p.exchangeContacts(ctx, contact)
	}
	if err == nil {
		p.universe, err = bridge.Join(ctx, p.boot, p.members, bridge.JoinLimit)
	}
	if err != nil {
		listener.Close()
		return err
	}
	if err := p.openNetwork(run, listener, local); err != nil {
		return err
	}
	p.setUpTables()
	if err := p.joinBarrier(ctx); err != nil {
		return err
	}
	if err := p.mpiWatch.begin(p); err != nil {
		return err
	}
	p.watcher.Add(1)
	go p.watch()
	return nil
}

// exchangeHosts tells the identity of this host to all and reports whether it is the
// only one of the run.
func (p *Process) exchangeHosts(ctx context.Context) (host bridge.HostID, local bool, err error) {
	if host, err = bridge.LocalHost(); err != nil {
		return host, false, err
	}
	blobs, err := p.boot.Exchange(ctx, host[:])
	if err != nil {
		return host, false, err
	}
	local = true
	for m, b := range blobs {
		if len(b) != len(host) {
			return host, false, fmt.Errorf("rank %d runs another version of the library", m)
		}
		local = local && bridge.HostID(b) == host
	}
	return host, local, nil
}

// defaultHeap is the limit of a heap for which nobody has asked for another. Windows of
// MPI may take, and keep in memory, all that the limit allows.
func defaultHeap(mode bridge.Mode, rdma bridge.RDMA, local bool) uint64 {
	if mode == bridge.ModeRMA || mode == bridge.ModeAuto && rdma.Usable() && !local {
		return MinHeapSize
	}
	return DefaultHeapSize
}

// runOf derives the public identity of the run from its secret.
func runOf(t bridge.Token) segment.Run {
	sum := sha256.Sum256(append([]byte("acp run "), t[:]...))
	return segment.Run(sum[:16])
}

func (p *Process) contact(host bridge.HostID, rdma bridge.RDMA, agent []netip.AddrPort) (*bridge.Contact, error) {
	name, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	started, err := pid.StartTime(os.Getpid())
	if err != nil {
		return nil, err
	}
	job, jobRank := p.boot.JobRank()
	layout := p.space.Layout()
	c := &bridge.Contact{
		Member: uint32(p.self), Job: uint32(job), JobRank: uint32(jobRank),
		Host: host, HostName: name,
		PID: uint32(os.Getpid()), StartTime: started,
		MemFD: uint32(p.space.FD()), MemSize: layout.MapSize(),
		StarterOffset: segment.StarterOffset, StarterSize: layout.Starter,
		HeapOffset: layout.HeapOffset(), HeapSize: layout.Heap,
		Agent: agent, Mode: p.cfg.Mode, MPI: bridge.LocalMPI(os.Getenv), RDMA: rdma,
	}
	return c, nil
}

// exchangeContacts makes the table of members.
func (p *Process) exchangeContacts(ctx context.Context, c *bridge.Contact) error {
	blobs, err := p.boot.Exchange(ctx, c.Append(nil))
	if err != nil {
		return err
	}
	p.members, err = bridge.NewMembers(blobs)
	return err
}

// openNetwork opens the fabrics, which listener belongs to from then on.
func (p *Process) openNetwork(run segment.Run, listener *endpoint.Listener, local bool) error {
	secure, err := bridge.SecureFromEnv(os.Getenv)
	var credentials *bridge.Credentials
	if err == nil {
		credentials, err = bridge.NewCredentials(p.boot.Token(), secure)
	}
	if err != nil {
		listener.Close()
		return err
	}
	p.net, err = network.Open(network.Config{
		Self: p.self, Size: p.procs, Local: local,
		Members: p.members, Universe: p.universe, Run: run, Space: p.space, Listener: listener,
		Auth: credentials.Agent(p.self), Ranks: p.rankNow,
		Operations: p.operations(), Notices: p.notices(), Own: func() *arena.Arena { return p.mem.Own() }, PeerLost: p.lostPeer,
		Mapped: func(member int, m segment.Memory) { p.mem.Mapped(member, m) }, Go: p.starters.Go, Call: p.call,
		Over: p.alive, Lost: p.boot.Lost(), PollBudget: p.budget.Poll, Attach: p.cfg.attach,
		MaySpin: func() bool { return p.budget.Spin() > 0 },
	})
	if p.net != nil {
		p.space = p.net.Space()
	}
	return err
}

// setUpWaiting makes what ends when the run is over. That may be so as soon as the agent runs.
func (p *Process) setUpWaiting() error {
	t, err := direct.New(p.procs)
	if err != nil {
		return err
	}
	// The table outlives Finalize: calls on a finalized Process still look at it.
	runtime.AddCleanup(p, func(size int) { t.Free(size) }, p.procs)
	p.direct = t
	p.barrier = barrier.New(&t.Barrier)
	p.cond = wait.NewCond(&p.budget, func() bool { return p.net.Agents().Poll() })
	p.collective = collective.New(collective.Config{
		Self: p.self, Size: p.procs, Boot: p.boot, Barrier: p.barrier, Running: p.running,
		RankOf: p.rankNow,
		Ask: func(member int, answer []byte) (int, error) {
			return p.call(member, am.OpProgress, nil, answer)
		},
		Reason: p.lossReason, Abort: p.end, Lose: p.lose,
	})
	return nil
}

// setUpTables makes the per-rank tables, rank m being member m, and the engine.
func (p *Process) setUpTables() {
	t := p.direct
	p.mem = global.New(global.Config{Ranks: p.ranks, Net: p.net, Direct: t, Cond: p.cond, Alive: p.alive})
	p.tables = hashed.NewClient(p.mem)
	p.channels = channel.NewHub(channel.Config{
		Mem: p.mem, Net: p.net, Direct: t, Budget: &p.budget, Over: p.running.Done(), Failed: p.channelFailed,
	})
	p.workspaces = workspace.New(p.mem, p.collective)
	p.segbufs.Open(p.mem, p.net, p.publish)
	p.mapOwn()
	p.net.Renumber()
	if f := p.net.Calls(); f != nil {
		t.SetWindows(f)
	}
	p.engine = gma.New(gma.Config{
		Table: t, Net: p.net, Space: p.space, Cond: p.cond,
		Member: p.ranks.Member, Go: p.starters.Go, Failed: p.accessFailed,
	})
}

// joinBarrier forms the groups of members that share memory. If one of them cannot
// map the memory of their leader, there is no group on that host. Waiters learn
// whether they may spin.
func (p *Process) joinBarrier(ctx context.Context) error {
	leaders, err := p.leaders()
	if err != nil {
		return err
	}
	ok := byte(1)
	if l := leaders[p.self]; l != p.self {
		if _, err := p.net.View(l); err != nil {
			ok = 0
		}
	}
	blobs, err := p.boot.Exchange(ctx, append([]byte{ok}, wait.Processors()...))
	if err != nil {
		return err
	}
	broken := make(map[int]bool)
	for m, b := range blobs {
		if len(b) == 0 {
			return fmt.Errorf("rank %d runs another version of the library", m)
		}
		if b[0] == 0 {
			broken[leaders[m]] = true
		}
	}
	for m, l := range leaders {
		if broken[l] {
			leaders[m] = m
		}
	}
	if p.processorsSuffice(blobs) {
		p.budget.Permit()
	}
	return p.formBarrier(leaders)
}

// formBarrier gives every member the group of its leader.
func (p *Process) formBarrier(leaders []int) error {
	agents := p.net.Agents()
	cfg := barrier.Config{
		Self: p.self, Leaders: leaders, Budget: &p.budget, Poll: agents.Poll,
		Notify: func(member int, round uint32, note uint64) error {
			return agents.Notify(member, am.NoticeKind(am.NoticeBarrier, round), note)
		},
	}
	next, mine := barrier.Next(p.self, leaders), leaders[p.self]
	switch {
	case next == p.self: // alone
	case mine == p.self:
		cfg.Words = p.space.Barrier()
	default:
		v, err := p.net.View(mine)
		if err != nil {
			return err
		}
		cfg.Words = v.Barrier()
	}
	if next != p.self {
		p.watchNeighbour(next, &cfg)
	}
	p.barrier.Form(cfg)
	return nil
}

// processorsSuffice reports whether the ranks of this host may spin. The processors of each
// stand behind the first byte of blobs.
func (p *Process) processorsSuffice(blobs [][]byte) bool {
	var here [][]byte
	for m, b := range blobs {
		if m == p.self || p.members.SameHost(p.self, m) {
			here = append(here, b[1:])
		}
	}
	return wait.Suffice(here)
}

// leaders returns for every member the lowest one with which it shares memory.
func (p *Process) leaders() ([]int, error) {
	leaders := make([]int, p.procs)
	first := make(map[bridge.HostID]int)
	for m := range leaders {
		leaders[m] = m
		l, ok := first[p.members.At(m).Host]
		if !ok {
			first[p.members.At(m).Host] = m
			continue
		}
		route, _, err := p.members.Route(l, m)
		if err != nil {
			return nil, err
		}
		if route == bridge.SHM {
			leaders[m] = l
		}
	}
	return leaders, nil
}

// abandon takes down what a failed Open had set up.
func (p *Process) abandon() {
	p.life.Store(lifeFinalized)
	p.stop()
	if p.net != nil {
		p.net.CloseAgents()
		p.net.Unmap()
	}
	p.ignoreNeighbour()
	if p.space != nil {
		p.space.Close()
	}
	p.boot.Close()
}
