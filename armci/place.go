package armci

import "slices"

// Domains returns the number of domains. A domain is a set of processes that have each other's memory
// mapped at the same addresses, such as the processes of one host. Local. Does not block. ARMCI API:
// armci_domain_count.
func (w *World) Domains() int { return w.session.World.Domains() }

// Domain returns the domain of a process, and -1 if there is no such process. Local. Does not block.
// ARMCI API: armci_domain_id.
func (w *World) Domain(proc int) int {
	if w.session.World.Check(proc) != nil {
		return -1
	}
	return w.session.World.Domain(proc)
}

// DomainProcs returns the processes of a domain in ascending order, and nil if there is no such
// domain. Local. Does not block. ARMCI API: armci_domain_nprocs.
func (w *World) DomainProcs(domain int) []int {
	if domain < 0 || domain >= w.Domains() {
		return nil
	}
	return slices.Clone(w.session.World.DomainProcs(domain))
}

// SameDomain reports whether a process is in the domain of this process. Local. Does not block. ARMCI
// API: ARMCI_Same_node.
func (w *World) SameDomain(proc int) bool { return w.Domain(proc) == w.Domain(w.Proc()) }
