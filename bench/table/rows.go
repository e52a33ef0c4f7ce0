package main

import (
	"fmt"
	"strings"
)

// row is one line of the table. Times are compared with the fastest of the sources of
// the reference.
type row struct {
	what      string
	name      string   // of the figure
	reference string   // name of the reference figure
	sources   []string // of the reference; empty if there is none
	c, goes   limit    // what the C and the Go API must reach
	show      func(float64) string
}

// limit is a target: a multiple of the reference, a difference to it, the sum of both, or an absolute value, the
// differences and absolute values in the unit of the figure. The zero value is no target.
type limit struct {
	times    float64
	more     float64
	absolute float64
}

var (
	mpi     = []string{"openmpi-ucx", "openmpi-sm", "openmpi-vader", "mpich"}
	memcpy  = []string{"memcpy"}
	starter = []string{"starter"} // starter memory in the same run
	single  = []string{"c"}       // one at a time, from C
	socket  = []string{"socket"}
	windows = []string{"openmpi-macprun", "mpich-macprun"} // started as GoACP is
	hello   = []string{"hello"}
	hosts   = []string{"openmpi-hosts"} // one flush for many operations
	started = []string{"openmpi-hosts-macprun"}

	oneTrip     = limit{times: 1.3} // of a round trip of sockets
	twoTrips    = limit{times: 2.6}
	fewRate     = limit{times: 1.3}    // of as many messages of sockets
	putRate     = limit{absolute: 200} // 5 million a second
	rate        = limit{absolute: 250}
	stream      = limit{times: 1 / 0.9}
	large       = limit{times: 1.15}
	largeWindow = limit{times: 1 / 0.95}
	binding     = limit{more: 100}
	window      = limit{more: 150}
)

var rows = []row{
	{what: "one host: put 8 B", name: "put8", sources: mpi, c: limit{times: 1}, goes: limit{times: 0.6}},
	{what: "one host: get 8 B", name: "get8", sources: mpi, c: limit{times: 1}, goes: limit{times: 0.6}},
	{what: "one host: add8", name: "add8", sources: mpi, c: limit{absolute: 100}, goes: limit{absolute: 100}},
	{what: "one host: cas8", name: "cas8", sources: mpi, c: limit{absolute: 100}, goes: limit{absolute: 100}},
	{what: "one host: malloc and free of 64 B", name: "malloc64", c: limit{absolute: 500}, goes: limit{absolute: 500}},
	{what: "one host: vector, push and pop of 8 B", name: "vector8", c: limit{absolute: 800}, goes: limit{absolute: 800}},
	{what: "one host: deque, push and pop of 8 B", name: "deque8", c: limit{absolute: 800}, goes: limit{absolute: 800}},
	{what: "one host: list, push and pop of 8 B", name: "list8", c: limit{absolute: 2000}, goes: limit{absolute: 2000}},
	{what: "map of 4 ranks, 8 B: insert", name: "mapinsert", c: limit{absolute: 1000}, goes: limit{absolute: 1000}},
	{what: "map of 4 ranks, 8 B: find", name: "mapfind", c: limit{absolute: 400}, goes: limit{absolute: 400}},
	{what: "map of 4 ranks, 8 B: remove", name: "mapremove", c: limit{absolute: 1000}, goes: limit{absolute: 1000}},
	{what: "map of 4 ranks, 8 B: insert, 500 keys in one call", name: "mapinsertmany", reference: "mapinsert", sources: single, c: limit{times: 1}},
	{what: "map of 4 ranks, 8 B: find, 500 keys in one call", name: "mapfindmany", reference: "mapfind", sources: single, c: limit{times: 1}},
	{what: "map of 4 ranks, 8 B: remove, 500 keys in one call", name: "mapremovemany", reference: "mapremove", sources: single, c: limit{times: 1}},
	{what: "own registered memory: put 8 B", name: "ownput8"},
	{what: "peer's registered memory: put 8 B", name: "regput8", sources: mpi, c: limit{times: 1}, goes: limit{times: 1}},
	{what: "peer's registered memory: get 8 B", name: "regget8", sources: mpi, c: limit{times: 1}, goes: limit{times: 1}},
	{what: "peer's registered memory: add8", name: "regadd8"},
	{what: "peer's memory of malloc, libacphook: put 8 B", name: "poolput8", sources: starter, c: limit{times: 1.5}},
	{what: "peer's memory of malloc, libacphook: put 8 B from such memory", name: "poolput8own", sources: starter, c: limit{times: 1.5}},
	{what: "peer's memory of malloc, libacphook: get 8 B", name: "poolget8", sources: starter, c: limit{times: 1.5}},
	{what: "peer's memory of malloc, libacphook: add8", name: "pooladd8", sources: starter, c: limit{absolute: 100}},
	{what: "peer's memory of malloc, libacphook: put 1 MiB", name: "poolput1m", sources: starter, c: limit{times: 1.1}},
	{what: "one host: put 1 MiB (memcpy)", name: "put1m", sources: memcpy, c: large, goes: large},
	{what: "one host: put 1 MiB (MPI)", name: "put1m", sources: mpi},
	{what: "one host: third-party copy 8 B", name: "third8"},
	{what: "one host: third-party copy 1 MiB", name: "third1m"},
	{what: "one host: sync of 2 ranks", name: "sync", sources: mpi, c: limit{times: 1}, goes: limit{times: 1}},
	{what: "3 ranks on 2 processors, one asleep: channel, half round trip of 8 B", name: "asleepch8", c: limit{absolute: 1000}},
	{what: "3 ranks on 2 processors, two asleep: add8, peer's registered memory", name: "asleepregadd8", c: limit{absolute: 15000}},
	{what: "3 ranks on 2 processors: sync", name: "asleepsync", c: limit{absolute: 10000}},
	{what: "4 ranks on 2 processors: sync", name: "busysync"},
	{what: "4 ranks on 2 processors: compute, exchange with 2 neighbours", name: "busystep"},
	{what: "package mpi, Open MPI: put 8 B and flush", name: "openmpi-put8", reference: "put8", sources: mpi[:1], goes: binding},
	{what: "package mpi, Open MPI: the same in two calls", name: "openmpi-put8apart", reference: "put8", sources: mpi[:1], goes: binding},
	{what: "package mpi, Open MPI: get 8 B and flush", name: "openmpi-get8", reference: "get8", sources: mpi[:1], goes: binding},
	{what: "package mpi, Open MPI: fetch and add", name: "openmpi-add8", reference: "add8", sources: mpi[:1], goes: binding},
	{what: "package mpi, Open MPI: compare and swap", name: "openmpi-cas8", reference: "cas8", sources: mpi[:1], goes: binding},
	{what: "package mpi, MPICH: put 8 B and flush", name: "mpich-put8", reference: "put8", sources: mpi[3:], goes: binding},
	{what: "package mpi, MPICH: fetch and add", name: "mpich-add8", reference: "add8", sources: mpi[3:], goes: binding},
	{what: "windows of Open MPI: put 8 B", name: "rma-openmpi-put8", reference: "put8", sources: windows[:1], c: window},
	{what: "windows of Open MPI: get 8 B", name: "rma-openmpi-get8", reference: "get8", sources: windows[:1], c: window},
	{what: "windows of Open MPI: add8", name: "rma-openmpi-add8", reference: "add8", sources: windows[:1], c: window},
	{what: "windows of Open MPI: cas8", name: "rma-openmpi-cas8", reference: "cas8", sources: windows[:1], c: window},
	{what: "windows of Open MPI: put 1 MiB", name: "rma-openmpi-put1m", reference: "put1m", sources: windows[:1], c: largeWindow},
	{what: "windows of Open MPI: put 8 B, registered memory", name: "rma-openmpi-regput8", reference: "regput8", sources: windows[:1]},
	{what: "windows of Open MPI: get 8 B, registered memory", name: "rma-openmpi-regget8", reference: "regget8", sources: windows[:1]},
	{what: "windows of MPICH: put 8 B", name: "rma-mpich-put8", reference: "put8", sources: windows[1:], c: window},
	{what: "windows of MPICH: get 8 B", name: "rma-mpich-get8", reference: "get8", sources: windows[1:], c: window},
	{what: "windows of MPICH: add8", name: "rma-mpich-add8", reference: "add8", sources: windows[1:], c: window},
	{what: "windows of MPICH: cas8", name: "rma-mpich-cas8", reference: "cas8", sources: windows[1:], c: window},
	{what: "windows of MPICH: put 1 MiB", name: "rma-mpich-put1m", reference: "put1m", sources: windows[1:], c: largeWindow},
	{what: "windows of MPICH: put 8 B, registered memory", name: "rma-mpich-regput8", reference: "regput8", sources: windows[1:]},
	{what: "windows of MPICH: get 8 B, registered memory", name: "rma-mpich-regget8", reference: "regget8", sources: windows[1:]},
	{what: "start of 1 + 2 + 3 processes, joined", name: "startup", sources: hello, c: limit{times: 2}},
	{what: "one host: channel, half round trip of 8 B", name: "ch8", sources: mpi, c: limit{times: 1}},
	{what: "one host: channel, stream of 1 MiB", name: "ch1m", sources: mpi, c: stream, goes: stream},
	{what: "two hosts: channel, half round trip of 8 B", name: "farch8"},
	{what: "two hosts: channel, stream of 1 MiB", name: "farch1m"},
	{what: "two hosts: put 8 B", name: "farput8", reference: "roundtrip", sources: socket, c: oneTrip, goes: oneTrip},
	{what: "two hosts: get 8 B", name: "farget8", reference: "roundtrip", sources: socket, c: oneTrip, goes: oneTrip},
	{what: "two hosts: add8", name: "faradd8", reference: "roundtrip", sources: socket, c: oneTrip, goes: oneTrip},
	{what: "two hosts: put 8 B, 8 in flight", name: "farput8x8", reference: "batch8", sources: socket, c: fewRate, goes: fewRate},
	{what: "two hosts: put 8 B, 64 in flight", name: "farput8x64", reference: "batch64", sources: socket, c: limit{absolute: 1000}, goes: limit{absolute: 1000}},
	{what: "two hosts: put 8 B, 512 in flight", name: "farput8x512", reference: "batch512", sources: socket, c: rate, goes: rate},
	{what: "two hosts: put 8 B, 4096 in flight", name: "farput8x4096", reference: "batch4096", sources: socket, c: putRate, goes: putRate},
	{what: "two hosts: get 8 B, 8 in flight", name: "farget8x8", reference: "batch8", sources: socket, c: fewRate, goes: fewRate},
	{what: "two hosts: get 8 B, 64 in flight", name: "farget8x64", reference: "batch64", sources: socket},
	{what: "two hosts: get 8 B, 512 in flight", name: "farget8x512", reference: "batch512", sources: socket, c: rate, goes: rate},
	{what: "two hosts: get 8 B, 4096 in flight", name: "farget8x4096", reference: "batch4096", sources: socket, c: rate, goes: rate},
	{what: "two hosts: add8, 8 in flight", name: "faradd8x8", reference: "batch8", sources: socket, c: fewRate, goes: fewRate},
	{what: "two hosts: add8, 64 in flight", name: "faradd8x64", reference: "batch64", sources: socket},
	{what: "two hosts: add8, 512 in flight", name: "faradd8x512", reference: "batch512", sources: socket, c: rate, goes: rate},
	{what: "two hosts: add8, 4096 in flight", name: "faradd8x4096", reference: "batch4096", sources: socket, c: rate, goes: rate},
	{what: "two hosts: put 8 B, one at a time (MPI)", name: "farput8", reference: "farput8x1", sources: hosts},
	{what: "two hosts: put 8 B, 8 in flight (MPI)", name: "farput8x8", sources: hosts},
	{what: "two hosts: put 8 B, 64 in flight (MPI)", name: "farput8x64", sources: hosts},
	{what: "two hosts: put 8 B, 512 in flight (MPI)", name: "farput8x512", sources: hosts},
	{what: "two hosts: put 8 B, 4096 in flight (MPI)", name: "farput8x4096", sources: hosts},
	{what: "two hosts: get 8 B, one at a time (MPI)", name: "farget8", reference: "farget8x1", sources: hosts},
	{what: "two hosts: get 8 B, 8 in flight (MPI)", name: "farget8x8", sources: hosts},
	{what: "two hosts: get 8 B, 64 in flight (MPI)", name: "farget8x64", sources: hosts},
	{what: "two hosts: get 8 B, 512 in flight (MPI)", name: "farget8x512", sources: hosts},
	{what: "two hosts: get 8 B, 4096 in flight (MPI)", name: "farget8x4096", sources: hosts},
	{what: "two hosts: add8, one at a time (MPI)", name: "faradd8", reference: "faradd8x1", sources: hosts},
	{what: "two hosts: add8, 8 in flight (MPI)", name: "faradd8x8", sources: hosts},
	{what: "two hosts: add8, 64 in flight (MPI)", name: "faradd8x64", sources: hosts},
	{what: "two hosts: add8, 512 in flight (MPI)", name: "faradd8x512", sources: hosts},
	{what: "two hosts: add8, 4096 in flight (MPI)", name: "faradd8x4096", sources: hosts},
	{what: "windows between hosts: put 8 B", name: "windowsput8x1", reference: "farput8x1", sources: started, c: limit{times: 1.3}},
	{what: "windows between hosts: put 8 B, 8 in flight", name: "windowsput8x8", reference: "farput8x8", sources: started},
	{what: "windows between hosts: put 8 B, 64 in flight", name: "windowsput8x64", reference: "farput8x64", sources: started, c: limit{times: 1.2}},
	{what: "windows between hosts: put 8 B, 512 in flight", name: "windowsput8x512", reference: "farput8x512", sources: started},
	{what: "windows between hosts: put 8 B, 4096 in flight", name: "windowsput8x4096", reference: "farput8x4096", sources: started},
	{what: "windows between hosts: get 8 B", name: "windowsget8x1", reference: "farget8x1", sources: started},
	{what: "windows between hosts: get 8 B, 8 in flight", name: "windowsget8x8", reference: "farget8x8", sources: started},
	{what: "windows between hosts: get 8 B, 64 in flight", name: "windowsget8x64", reference: "farget8x64", sources: started, c: limit{times: 1.2}},
	{what: "windows between hosts: get 8 B, 512 in flight", name: "windowsget8x512", reference: "farget8x512", sources: started},
	{what: "windows between hosts: get 8 B, 4096 in flight", name: "windowsget8x4096", reference: "farget8x4096", sources: started},
	{what: "windows between hosts: add8", name: "windowsadd8x1", reference: "faradd8x1", sources: started},
	{what: "windows between hosts: add8, 8 in flight", name: "windowsadd8x8", reference: "faradd8x8", sources: started},
	{what: "windows between hosts: add8, 64 in flight", name: "windowsadd8x64", reference: "faradd8x64", sources: started},
	{what: "windows between hosts: add8, 512 in flight", name: "windowsadd8x512", reference: "faradd8x512", sources: started},
	{what: "windows between hosts: add8, 4096 in flight", name: "windowsadd8x4096", reference: "faradd8x4096", sources: started},
	{what: "two hosts: malloc and free of 64 B", name: "farmalloc64", reference: "roundtrip", sources: socket, c: twoTrips, goes: twoTrips},
	{what: "two hosts: vector, push and pop of 8 B", name: "farvector8", reference: "roundtrip", sources: socket, c: twoTrips, goes: twoTrips},
	{what: "two hosts: list, push and pop of 8 B", name: "farlist8", reference: "roundtrip", sources: socket, c: twoTrips, goes: twoTrips},
	{what: "two hosts: map, insert of 8 B", name: "farmapinsert", reference: "roundtrip", sources: socket, c: oneTrip, goes: oneTrip},
	{what: "two hosts: map, find of 8 B", name: "farmapfind", reference: "roundtrip", sources: socket, c: oneTrip, goes: oneTrip},
	{what: "two hosts: map, remove of 8 B", name: "farmapremove", reference: "roundtrip", sources: socket, c: oneTrip, goes: oneTrip},
	{what: "two hosts: map, insert of 8 B, 500 keys in one call", name: "farmapinsertmany", c: limit{absolute: 1000}, goes: limit{absolute: 1000}},
	{what: "two hosts: map, find of 8 B, 500 keys in one call", name: "farmapfindmany", c: limit{absolute: 1000}, goes: limit{absolute: 1000}},
	{what: "two hosts: map, remove of 8 B, 500 keys in one call", name: "farmapremovemany", c: limit{absolute: 1000}, goes: limit{absolute: 1000}},
	{what: "two hosts: put 2 MiB, one at a time", name: "farput2m", reference: "write2m", sources: socket},
	{what: "two hosts: put 2 MiB, stream of 32", name: "farstream2m", reference: "stream2m", sources: socket, c: stream, goes: stream},
	{what: "private memory of a process of 2", name: "memory2", show: bytes},
	{what: "private memory of a process of 32", name: "memory32", show: bytes},
	{what: "private memory per further rank, 32 to 128", name: "furtherrank", show: bytes, c: limit{absolute: 256}, goes: limit{absolute: 256}},
}

// cells returns the texts of a line of the table.
func (r row) cells(s figures) []string {
	show := r.shows()
	source, ref, haveRef := r.fastest(s)
	cells := []string{r.what, text(show, ref, haveRef), source}
	var ratios, met []string
	for _, api := range []struct {
		source string
		limit  limit
	}{{"c", r.c}, {"go", r.goes}} {
		v, ok := s.median(api.source, r.name)
		value, ratio := text(show, v, ok), "-"
		if ok && haveRef {
			ratio = fmt.Sprintf("%.2f", v/ref)
		}
		cells, ratios = append(cells, value), append(ratios, ratio)
		if verdict := api.limit.verdict(v, ok, ref, haveRef); verdict != "" {
			met = append(met, verdict)
		}
	}
	return append(append(cells, ratios...), r.target(show), strings.Join(met, " / "))
}

// target returns the limits of both APIs as text.
// shows returns how the figures of the row are written.
func (r row) shows() func(float64) string {
	if r.show == nil {
		return duration
	}
	return r.show
}

// fastest returns the reference of the row in a run.
func (r row) fastest(s figures) (source string, ref float64, ok bool) {
	reference := r.reference
	if reference == "" {
		reference = r.name
	}
	return s.best(r.sources, reference)
}

func (r row) target(show func(float64) string) string {
	c, g := r.c.words(show), r.goes.words(show)
	if c == g {
		return c
	}
	return c + " / " + g
}

func (l limit) words(show func(float64) string) string {
	switch {
	case l.times != 0 && l.more != 0:
		return fmt.Sprintf("<= %.3g x + %s", l.times, show(l.more))
	case l.times != 0:
		return fmt.Sprintf("<= %.3g x", l.times)
	case l.more != 0:
		return "<= reference + " + show(l.more)
	case l.absolute != 0:
		return "<= " + show(l.absolute)
	}
	return ""
}

// verdict says whether v meets the limit: yes, NO, ? if something was not measured,
// and nothing if there is no limit.
func (l limit) verdict(v float64, ok bool, ref float64, haveRef bool) string {
	most := l.absolute
	switch {
	case l.times != 0:
		most, ok = l.times*ref+l.more, ok && haveRef
	case l.more != 0:
		most, ok = l.more+ref, ok && haveRef
	}
	switch {
	case l == limit{}:
		return ""
	case !ok:
		return "?"
	case v <= most:
		return "yes"
	}
	return "NO"
}

func duration(ns float64) string {
	switch {
	case ns < 100:
		return fmt.Sprintf("%.1f ns", ns)
	case ns < 1000:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 100e3:
		return fmt.Sprintf("%.2f us", ns/1e3)
	case ns < 10e6:
		return fmt.Sprintf("%.0f us", ns/1e3)
	}
	return fmt.Sprintf("%.0f ms", ns/1e6)
}

func bytes(n float64) string {
	if n < 10<<10 {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.0f KiB", n/1024)
}
