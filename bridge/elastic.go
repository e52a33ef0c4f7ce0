package bridge

import "context"

// Elastic is the part of the bootstrap of a run whose cohort of the beginning can grow and shrink. All methods may
// be called by several goroutines at once, apart from Adopt.
type Elastic interface {
	Bootstrap

	// Limit returns how many members the cohort of the beginning can have. Does not block.
	Limit() int

	// MayLeave reports whether this process may leave. Rank 0 stays, and so do jobs that were started with a fixed
	// number of processes. Does not block.
	MayLeave() bool

	// Adopt begins the epoch behind that of this number: it has the members that pass true, and all processes that have come later
	// and have called it with true, by which others see that they wait. These pass any number. The others may have begun epochs
	// with the same members without Adopt, of which the rendezvous learns by the number. Before it returns, the function of Follow
	// has got the change, if there is one. Then Exchange exchanges with the members of the epoch. A member that passes false has
	// left; it may not call Exchange. All other processes have received that, except one that does not answer for two seconds.
	// Adopt returns the number of the epoch. Collective over the cohort of the beginning. Blocks until all members have called
	// it. Fails as Exchange does. Not for concurrent use with Exchange.
	Adopt(ctx context.Context, last int, stays bool) (epoch int, err error)

	// AskLeave asks a member to leave. Does not block.
	AskLeave(member int) error

	// AskJoin asks the launcher for processes of this process's job; if that is fixed, of the only one that can grow. Does not block.
	AskJoin(q JoinRequest) error
}

// ElasticOf returns the elastic part of a bootstrap, or nil if the run cannot grow or shrink, or this process does not
// belong to the run itself.
func ElasticOf(boot Bootstrap) Elastic {
	if c, ok := boot.(*client); ok && c.limit > 0 && c.cohort.Number == 0 {
		return c
	}
	return nil
}

// adoption is the beginning of an epoch for a client.
type adoption struct {
	epoch, size int
}

func (c *client) Limit() int     { return c.limit }
func (c *client) MayLeave() bool { return c.mayLeave }

// Adopt implements Elastic.
func (c *client) Adopt(ctx context.Context, last int, stays bool) (epoch int, err error) {
	if err := c.ready(ctx); err != nil {
		return 0, err
	}
	if err := c.send(numberFrame(frameAdopt, uint32(flag(stays)), uint32(last))); err != nil {
		<-c.gone
		return 0, c.lossOr(err)
	}
	select {
	case a := <-c.adopted:
		c.seq = 0
		return a.epoch, nil
	case <-c.lost:
		return 0, c.Err()
	case <-ctx.Done():
		c.broken = ctx.Err()
		return 0, ctx.Err()
	}
}

// Renumbered tells the rendezvous that the members of a run have other ranks than their numbers. No process can join the run
// afterwards, since it would not know the ranks. Does not block.
func Renumbered(boot Bootstrap) error {
	if c, ok := boot.(*client); ok {
		return c.ask(emptyFrame(frameRenumbered))
	}
	return nil // other bootstraps let no process join
}

// AskLeave implements Elastic.
func (c *client) AskLeave(member int) error {
	return c.ask(numberFrame(frameAskLeave, uint32(member)))
}

// AskJoin implements Elastic.
func (c *client) AskJoin(q JoinRequest) error { return c.ask(joinRequestFrame(q)) }

// ask sends a request that is not answered.
func (c *client) ask(frame []byte) error {
	if err := c.send(frame); err != nil {
		return c.lossOr(err)
	}
	return nil
}
