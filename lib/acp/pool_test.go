//go:build cgo

package libacp

import "testing"

// TestPool: registered memory in the pool of an allocator is mapped memory for peers, also while its
// owner is stopped. Over sockets, and if there is no address space for the pool, it is registered memory as any.
func TestPool(t *testing.T) {
	path := program(t, "pool", "-rdynamic")
	for _, c := range []struct {
		name string
		env  []string
	}{
		{"mapped", nil},
		{"sockets", []string{"ACP_NET=tcp", "NOT_MAPPED=1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for rank, e := range together(t, 2, append(c.env, "ACP_STARTER_MEMSIZE=65536"), path) {
				if e.status != 0 {
					t.Errorf("rank %d: %v", rank, e)
				}
			}
		})
	}
}
