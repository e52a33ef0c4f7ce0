package main

import "fmt"

// coupleMPI are the same exchanges by MPI_Isend and MPI_Irecv, in the same processes.
var coupleMPI = []string{"couple-openmpi", "couple-mpich"}

// coupleRows are the lines about coupling from C.
var coupleRows = []row{
	{what: "coupling, one host: 8 B there and back, 1 + 1 ranks", name: "couple8", sources: coupleMPI, c: limit{times: 0.6}},
	{what: "coupling, one host: 10^6 doubles, block to block, 2 + 2 ranks", name: "coupleblock", sources: coupleMPI, c: limit{times: 0.7}},
	{what: "the same beside one copy by the receivers", name: "coupleblock", sources: []string{"copy"}, c: limit{times: 1.15}},
	{what: "coupling, one host: 10^6 doubles, cyclic to block, 2 + 2 ranks", name: "couplecyclic", sources: coupleMPI, c: limit{times: 1}},
	{what: "coupling, one host: opening a link of 10^7 points, blocks", name: "coupleopen", c: limit{absolute: 1e9}},
	{what: "coupling, one host: opening a link of 10^7 points, cyclic to block", name: "couplecyclicopen", c: limit{absolute: 1e9}},
	{what: "coupling, one host: opening a link of 10^7 points in any order", name: "coupleanyopen", c: limit{absolute: 1e9}},
	{what: "coupling, one host: memory that a link of 10^7 points in any order keeps, 4 + 4 ranks, in lists of the points", name: "couplekept", show: multiple, goes: limit{absolute: 2}},
	{what: "coupling, one host: the most memory while it is opened, in lists of the points", name: "couplepeak", show: multiple},
	{what: "coupling, two hosts: 10^6 doubles", name: "farcouple", reference: "streamarray", sources: socket, c: stream},
}

// multiple shows a number of times.
func multiple(x float64) string { return fmt.Sprintf("%.2f ×", x) }
