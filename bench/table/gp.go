package main

var (
	manyPlaces = limit{times: 2}
	byHand     = []string{"by hand"}
)

// pointerRows are the lines about global pointer arrays.
var pointerRows = []row{
	{what: "global pointers, one host: get 64 B", name: "gpget64", c: limit{absolute: 400}},
	{what: "global pointers, one host: put 64 B", name: "gpput64", c: limit{absolute: 400}},
	{what: "global pointers, one host: get 32 x 32 elements", name: "gpgetsection", sources: memcpy, c: limit{times: 2}},
	{what: "global pointers, one host: put 32 x 32 elements", name: "gpputsection", sources: memcpy, c: limit{times: 2}},
	{what: "global pointers, one host: gather 1000 of 64 B", name: "gpgather1000", sources: byHand},
	{what: "global pointers, one host: get 32 MiB", name: "gpget32m", sources: memcpy, c: large},
	{what: "global pointers, two hosts: get 64 B", name: "fargpget64", reference: "roundtrip", sources: socket, c: oneTrip},
	{what: "global pointers, two hosts: put 64 B", name: "fargpput64", reference: "roundtrip", sources: socket, c: oneTrip},
	{what: "global pointers, two hosts: get 32 KiB", name: "fargpget32k", reference: "roundtrip", sources: socket, c: oneTrip},
	{what: "global pointers, two hosts: put 32 KiB", name: "fargpput32k", reference: "roundtrip", sources: socket, c: oneTrip},
	{what: "global pointers, two hosts: gather 1000 of 64 B", name: "fargpgather1000", reference: "roundtrip", sources: socket, c: manyPlaces},
	{what: "the same in 1000 copies by hand", name: "fargpgather1000", sources: byHand},
}
