// Layoutgen writes C headers with the layouts and constants that C and Go share, from the
// Go that defines them:
//
//	go generate ./gen/layoutgen
//	go run ./gen/layoutgen -check
//
// With -check it writes nothing and fails if a header is not what it would write.
//
// Which types and constants C gets, a directive in their comment says:
//
//	//goacp:c goacp_peer
//	type Peer struct {
//
// makes struct goacp_peer with a member heap_len for the field HeapLen, and
//
//	//goacp:c GOACP_
//	const spanShift = 16
//
// makes GOACP_SPAN_SHIFT; the directive of a group is for all its constants. Fields for
// padding become members named reserved. The type of a member is that of the field, or what
// the field's tag c says, with the name behind it or in place of a %:
//
//	peers unsafe.Pointer `c:"struct goacp_peer *"`
//
// The headers assert the size of each struct and the place of each member, so that C that is
// compiled for another layout does not compile.
package main

//go:generate go run .

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// header is a header file.
type header struct {
	path     string   // below the root of the module
	packages []string // whose types and constants it has, in the order in which it has them
	only     []string // the names in C of those that it has; all if there are none
}

var headers = []header{
	{
		path: "lib/acp/layout.h",
		packages: []string{
			"internal/fabric", "internal/memory/mailbox", "internal/memory/segment", "internal/ground/wait", "internal/memory/maptable", "internal/memory/lookup", "internal/memory/heap",
			"internal/structure/sequence", "internal/structure/list", "internal/structure/hashed", "internal/memory/ring", "internal/structure/channel", "internal/ground/traffic", "acp",
			"internal/system/armci/table", "internal/system/armci/transfer", "internal/structure/collarea", "internal/system/armci/mutex",
			"internal/system/gp/table", "internal/system/gp/array",
			"internal/system/couple/link",
		},
	},
	// A header of its own, since the go command looks for changes of C in the folder of a
	// package alone.
	{
		path:     "internal/network/rma/layout.h",
		packages: []string{"internal/fabric", "internal/memory/segment", "internal/memory/maptable"},
		only:     []string{"GOACP_OP_ADD", "GOACP_OP_CAS", "GOACP_OP_SWAP", "GOACP_POSITION_BITS", "goacp_windows"},
	},
}

func main() {
	check := flag.Bool("check", false, "write nothing, and fail if a header is not current")
	flag.Parse()
	root, err := moduleRoot()
	for i := 0; i < len(headers) && err == nil; i++ {
		err = headers[i].make(root, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "layoutgen:", err)
		os.Exit(1)
	}
}

// make writes the header, or checks that it is current.
func (h *header) make(root string, check bool) error {
	text, err := h.text(root)
	if err != nil {
		return err
	}
	path := filepath.Join(root, h.path)
	if !check {
		return os.WriteFile(path, text, 0o666)
	}
	now, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(now, text) {
		err = fmt.Errorf("%s is not what the Go code says: run go generate ./gen/layoutgen", h.path)
	}
	return err
}

// text returns what the header is to contain.
func (h *header) text(root string) ([]byte, error) {
	list, err := load(root, h.packages)
	if err != nil {
		return nil, err
	}
	s, err := collect(list)
	if err != nil {
		return nil, err
	}
	return s.header(h)
}
