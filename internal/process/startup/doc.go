// Package startup brings a process into a run. All members take the same steps. In each step they
// exchange the data that they need of each other:
//
//   - [Hosts]: on which host each runs, and which extensions it has
//   - [Contacts]: the memory that each publishes, and where its agent listens
//   - the universes, by bridge.Join: which members share a communicator of MPI
//   - [Group]: which members share the words of a barrier
//
// [Meet] takes the first three. Between them and the last one the process opens its network,
// which chooses the route to each member from the contacts.
//
// Each step is an exchange of the bootstrap: a member gives one blob and gets those of all. A
// blob that this version of the library does not send is an error that names the rank.
package startup
