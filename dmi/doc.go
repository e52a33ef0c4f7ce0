// Package dmi is global memory for the threads of several processes, in pages of any size, and processes that join and leave.
//
// A program gives its functions to [Main], which does not return:
//
//	func main() {
//		dmi.Main(dmi.Program{Main: run, Unit: unit})
//	}
//
//	func run(n *dmi.Node, args []string) error {
//		sum, err := n.Map(8, 1)
//		if err != nil {
//			return err
//		}
//		if err := n.Rescale(context.Background(), sum, 2, 4); err != nil { // 4 threads on each of 2 processes
//			return err
//		}
//		total, err := dmi.Load[int64](n, sum, dmi.Get)
//		fmt.Println(total)
//		return errors.Join(err, n.Unmap(sum))
//	}
//
//	func unit(t *dmi.Thread, rank, size int, sum dmi.Addr) error {
//		_, err := t.FetchAdd(sum, int64(rank), dmi.Put)
//		return err
//	}
//
//	dmimw -n 2 ./program
//
// Only process 0 calls Program.Main. It makes spaces of pages, and lets threads of all processes work on them by [Node.Rescale]. A [Thread] is
// a goroutine with the identity that locks need.
//
// A [Mode] says at each access where the bytes are kept afterwards. It changes no result: all accesses to a page happen one after the
// other, each at a moment between call and return. An access to several pages is one access to each. Memory as a whole is sequentially
// consistent for accesses that lie within a page.
//
// The functions are those of the library for C, and their errors are values of Go. Programs in C and in Go do not share a run, since all processes
// need the same functions. If a process ends in another way than by leaving, the run ends, and all calls fail with acp.ErrPeerDead.
package dmi
