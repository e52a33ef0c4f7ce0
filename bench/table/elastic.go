package main

import "fmt"

var (
	ownRun      = []string{"own run"}
	itsMedian   = []string{"its median"}
	anotherRun  = []string{"another run"} // that starts at the same time
	localSocket = []string{"local socket"}
	oneRank     = []string{"one rank"} // whose call is one round trip to the rendezvous
	spawn       = []string{"openmpi"}
	munmap      = []string{"munmap"}
)

// elasticRows are the lines about runs that grow and shrink.
var elasticRows = []row{
	{what: "attach of one process, from the command to acp_init", name: "attach", sources: ownRun, c: limit{times: 1.5, more: 20e6}},
	{what: "longest step of a model of 2 ranks, while a guest attaches and leaves", name: "attachstep", sources: itsMedian, c: limit{times: 2, more: 1e6}},
	{what: "the same beside a run that starts", name: "attachstep", sources: anotherRun},
	{what: "longest step of a model of one rank, which leaves a processor free", name: "attachstepfree", sources: itsMedian, c: limit{times: 2, more: 1e6}},
	{what: "the same beside a run that starts", name: "attachstepfree", sources: anotherRun},
	{what: "guest: get 8 MB from a rank of the host", name: "guestread8m", reference: "streamarray", sources: localSocket, c: limit{times: 1 / 0.8}},
	{what: "guest: a step of 8 MB of a field that it watches", name: "watch8m", reference: "streamarray", sources: localSocket, c: limit{times: 1 / 0.8}},
	{what: "acp_adopt of 6 ranks without a change", name: "adopt", sources: oneRank, c: limit{times: 4}},
	{what: "growth from 2 to 6 ranks, to the return of acp_adopt", name: "grow", sources: spawn, c: limit{times: 0.5}},
	{what: "leave with 1 GiB in the heap, acp_adopt and acp_finalize", name: "leave", sources: munmap, c: limit{times: 1.2, more: 20e6}},
	{what: "the part of it that is not back then", name: "leavekept", show: percent, c: limit{absolute: 1}},
}

func percent(x float64) string { return fmt.Sprintf("%.2f %%", x) }
