// Package couple couples programs of a run: it moves the values of fields from the ranks that have
// them to the ranks that want them.
//
// Each program is a [Model]. Its ranks declare a [Field]: a name, a slice with the values that this
// rank has, and which points of the whole grid or mesh they belong to. [Ranges], a [Block] of a grid with
// a halo, or a [List] say that. Points are numbered from 0, and both sides of a link use the same
// numbers. Nothing else has to agree: not the number of ranks, not the decomposition.
//
//	ocean, err := couple.NewModel(p, "ocean", nil)
//	sst, err := couple.NewField(ocean, "sst", temperature, couple.Ranges{{First: 1000 * rank, N: 1000}}, 1)
//	out, err := sst.SendTo(ctx, "atmosphere.surface", couple.Options{})
//	for step := range steps {
//		...
//		err := out.Send(ctx, step)
//	}
//
// The other program declares the field surface of the model atmosphere, calls [Field.ReceiveFrom] for
// "ocean.sst", and then [Receiver.Receive] in each step.
//
// Opening a link finds out which points go from which rank to which. A step moves them, one-sided:
// the sender writes into the memory of the receivers, into the values of the field if Receive waits and they lie in memory from
// acp.Process.Malloc, and neither program calls MPI or GoACP for the
// other. Send waits only if the receivers are as many messages behind as the link has levels. Receive
// waits only for the values of its step.
//
// Fields on different grids are coupled by [Field.ReceiveWeighted] or [Field.SendWeighted], with a sparse matrix.
//
// Opening a link waits for the other model. A program that opens several links does so by a [Group], so that their order
// does not matter.
//
// A program that only looks at a model must not stop it: the model calls [Field.PublishTo], and the watcher
// [Field.Watch].
//
// # Guarantees
//
// Receive gets the values of one step from all senders, or fails and changes nothing. Points that no
// rank wants are not sent. A point that several ranks want goes to all of them; two ranks of
// the sending side must not hold the same point. The run ends when a rank dies: all calls fail
// with acp.ErrPeerDead then, and a Receive that waits may have written some values. A partner that closes its link makes Send and Receive fail with
// [ErrEnded], Receive when it has got all that was sent.
//
// acp.Process.Reset ends all links, fields and models.
//
// Methods of one link are for one goroutine at a time. Different links do not disturb each other.
package couple
