// Package globaltest makes runs whose ranks are all in one process, for tests of package global
// and of the structures above it. The ranks have memory, agents and routers of their own, as in
// a run of several processes. There is no rendezvous and no barrier.
package globaltest
