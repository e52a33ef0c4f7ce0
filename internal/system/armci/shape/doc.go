// Package shape describes which bytes a strided or vector transfer of ARMCI touches.
//
// A [Strided] is the transfer of the program: blocks of equal size, with the strides of both
// sides. A [Side] is one side of it, which a message carries to the owner. The bytes of all
// blocks, one after the other with the first index fastest, are the stream of the transfer. Both
// sides have the same stream, so each side can merge its own blocks. A [Cursor] walks the runs of
// bytes of a side. A [List] is the remote side of a part of a vector transfer.
//
// All sums and products are computed in 64 bits and checked. [Decode] decodes data from other
// processes. It accepts only data that [Side.Append] and [List.Append] can write.
package shape
