// Package hook tests libacphook, the C library whose malloc takes blocks from memory that is shared from
// the start. The library itself is in the folder capi.
//
// A program links the library, or LD_PRELOAD puts it in front of libc. Its malloc sends each block by its
// size to the pool or to libc (rules.c). free and realloc see by the address where a block has come from.
//
// The pool is one file without a name (memfd_create), mapped once (memory.c). Other processes map the same
// file: goacp_hook_pool, in pool.h, tells libacp which one it is. From the bottom up:
//
//   - memory.c: the file. The kernel gives pages on first touch and takes them back by MADV_REMOVE.
//   - spans.c, bins.c: spans of units of 8 KiB. The shortest span that fits is taken, neighbours are joined.
//     Freed spans keep up to 16 MiB of pages, or an eighth of what is in use if that is more.
//   - slabs.c, classes.h: blocks up to 128 KiB have 48 classes. A slab is a span of blocks of one class, with
//     a bit for each.
//   - cache.c: each thread keeps some free blocks of each class, so that most calls take no lock.
//   - fork.c: fork copies the blocks into a new file for the child.
//   - malloc.c: the functions that programs call.
//
// All metadata is in private memory (metadata.c). So a peer that writes beside its place damages blocks at most,
// and the kernel copies the metadata in fork. The locks are: one for each class, then that of the spans. A thread
// that forks holds all of them.
//
// What libc allocates for itself, such as FILE, comes from libc whatever the rules are. In a child of fork,
// libc resets the locks of its FILEs before any handler of fork runs. In the pool that would be the locks
// of the parent.
//
// A program that is linked with rules has them as values of symbols, which a linker makes by itself
// (-Wl,--defsym, pool.h). So a wrapper compiler needs no object file for them.
package hook
