package main

var bothMPIs = []string{"openmpi", "mpich"}

// dmiRows are the lines about global memory of DMI. The processes that use sockets are on one host, as the sockets beside them.
var dmiRows = []row{
	{what: "DMI, one host: read 8 B of another process", name: "dmiget8", c: limit{absolute: 100}},
	{what: "DMI, one host: write 8 B", name: "dmiput8", c: limit{absolute: 100}},
	{what: "DMI, one host: fetch and add", name: "dmifad", c: limit{absolute: 200}},
	{what: "DMI, one host: lock and unlock of a free mutex", name: "dmilock", c: limit{absolute: 400}},
	{what: "DMI, one host: hand-over of a mutex", name: "dmihandover", sources: []string{"futex"}, c: limit{times: 1.5}},
	{what: "DMI, one host: read 1 MiB of another process", name: "dmiread1m", sources: memcpy, c: large},
	{what: "DMI, one host: barrier of 2 threads in 2 processes", name: "dmibarrier", c: limit{absolute: 1000}},
	{what: "DMI, sockets: read 8 B", name: "dmifarget8", reference: "roundtrip", sources: localSocket, c: oneTrip},
	{what: "DMI, sockets: write 8 B", name: "dmifarput8", reference: "roundtrip", sources: localSocket, c: oneTrip},
	{what: "DMI, sockets: fetch and add", name: "dmifarfad", reference: "roundtrip", sources: localSocket, c: oneTrip},
	{what: "DMI, sockets: write 8 B by the owner, one copy elsewhere", name: "dmifarputcopy", reference: "roundtrip", sources: localSocket, c: limit{times: 3.5}},
	{what: "DMI, sockets: 128 reads of 8 B at the same time", name: "dmifarmany", reference: "roundtrip", sources: localSocket, c: limit{times: 12.8}},
	{what: "DMI, sockets: read 16 MiB", name: "dmifarread16m", reference: "stream16m", sources: localSocket, c: limit{times: 1 / 0.9}},
	{what: "DMI, sockets: read-write-set, read 10 000 scattered doubles", name: "dmifarrwset", reference: "write80k", sources: localSocket, c: limit{times: 2}},
	{what: "DMI, one host: product of matrices of order 1024, 2 processes", name: "dmiproduct", sources: bothMPIs, c: limit{times: 1.1}},
	{what: "DMI, one host: step of Jacobi, 2 processes of 2 threads", name: "dmijacobi", sources: bothMPIs, c: limit{times: 1.2}},
	{what: "DMI, two hosts: product of matrices of order 1024, 2 processes", name: "dmifarproduct", sources: bothMPIs, c: limit{times: 1.1}},
	{what: "DMI, two hosts: step of Jacobi, 2 processes of 2 threads", name: "dmifarjacobi", sources: bothMPIs, c: limit{times: 1.2}},
	{what: "DMI_welcome of a process that waits, 1 GiB of pages in the run", name: "dmiwelcome", c: limit{absolute: 50e6}},
	{what: "DMI_goodbye of a process that owns 256 MiB", name: "dmigoodbye", sources: memcpy, c: limit{times: 1.5}},
	{what: "longest access of a thread meanwhile", name: "dmilongest", c: limit{absolute: 20e6}},
}
