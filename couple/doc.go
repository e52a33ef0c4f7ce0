// Package couple couples programs of a run: it moves the values of fields from the ranks that have them to the ranks
// that need them.
//
// Each program is a [Model]. Its ranks declare a [Field]: a name, a slice with the values of this rank, and the
// points of the whole grid or mesh to which the values belong. The points are [Ranges], a [Block] of a grid with a
// halo, or a [List]. They are numbered from 0, and both sides of a link use the same numbers. Nothing else has to
// agree, neither the number of ranks nor the decomposition.
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
// When a link is opened, the ranks compute the points to send for each pair of ranks. A step moves their values by
// one-sided copies: the sender writes into the memory of the receivers. If Receive waits and the values of the field
// lie in memory from acp.Process.Malloc, it writes directly into the values. Neither program calls MPI or GoACP for
// the other. Send waits only if the receivers are as many messages behind as the link has levels. Receive waits only
// for the values of its step.
//
// Fields on different grids are coupled by [Field.ReceiveWeighted] or [Field.SendWeighted], with a sparse matrix.
//
// Opening a link waits for the other model. A program with several links opens them with a [Group], so that their
// order does not matter.
//
// A program that only looks at a model must not stop it: the model calls [Field.PublishTo], and the watcher
// [Field.Watch].
//
// # Guarantees
//
// Receive gets the values of one step from all senders, or fails and changes nothing. Points that no rank needs are
// not sent. A point that several ranks need goes to all of them; two ranks of the sending side must not hold the same
// point. When a rank dies, the run ends: all calls fail with acp.ErrPeerDead, and a waiting Receive may have written
// some values. When a partner closes its link, Send fails with [ErrEnded], and Receive does so after it has received
// all messages.
//
// acp.Process.Reset ends all links, fields and models.
//
// Methods of one link are for one goroutine at a time. Different links do not disturb each other.
package couple
