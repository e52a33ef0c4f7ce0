//go:build cgo

package libacp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goacp/goacp/acp"
)

// request is what the arguments of a process ask for.
type request struct {
	starter uint64 // bytes of starter memory; 0: not given
	heap    uint64 // bytes to which the heap may grow; 0: not given
	member  string // an argument that makes the process one of several; empty if there is none
}

// option is an argument that the library takes.
type option struct {
	name        string
	text        bool   // the value is text; otherwise a number
	least, most uint64 // of the number
	alone       uint64 // the number that a process on its own may have
	place       bool   // the option gives a process its place among several
}

// optionPrefix begins all arguments of the library, and no others.
const optionPrefix = "--acp-"

// options are what launchers have passed on command lines since release 2.1.0. The
// launchers of this library need none of them.
var options = [...]option{
	{name: "--acp-myrank", most: acp.MaxProcs - 1, place: true},
	{name: "--acp-nprocs", least: 1, most: acp.MaxProcs, alone: 1, place: true},
	{name: "--acp-taskid", most: math.MaxUint64},
	{name: "--acp-port-local", most: math.MaxUint16},
	{name: "--acp-port-remote", most: math.MaxUint16},
	{name: "--acp-host-remote", text: true},
	{name: optionStarter, least: 1, most: math.MaxUint64},
	{name: "--acp-size-smem-cl", most: math.MaxUint64},
	{name: optionHeap, most: math.MaxUint64},
	{name: "--acp-ethernet-speed", most: math.MaxUint64},
	{name: "--acp-portfile", text: true, place: true},
	{name: "--acp-offsetrank", most: acp.MaxProcs - 1, place: true},
	{name: "--acp-malloc-hook-small", most: 1},
	{name: "--acp-malloc-hook-large", most: 1},
	{name: "--acp-malloc-hook-huge", most: 1},
	{name: "--acp-malloc-hook-low", most: math.MaxUint64},
	{name: "--acp-malloc-hook-high", most: math.MaxUint64},
}

const (
	optionStarter = "--acp-size-smem"
	optionHeap    = "--acp-size-smem-dl"
)

// parseArguments finds the arguments of the library among args, of which the first
// is the name of the program. It returns the indices of all others, in order.
func parseArguments(args []string) (keep []int, r request, err error) {
	for i := 0; i < len(args); i++ {
		if i == 0 || !strings.HasPrefix(args[i], optionPrefix) {
			keep = append(keep, i)
			continue
		}
		name, value, joined := strings.Cut(args[i], "=")
		o := findOption(name)
		if o == nil {
			return nil, r, fmt.Errorf("argument %s: unknown; what begins with %s is for the library", name, optionPrefix)
		}
		if !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		if err := o.take(&r, value); err != nil {
			return nil, r, err
		}
	}
	return keep, r, nil
}

func findOption(name string) *option {
	for i := range options {
		if options[i].name == name {
			return &options[i]
		}
	}
	return nil
}

// take records that o was given with value.
func (o *option) take(r *request, value string) error {
	if value == "" || value[0] == '-' {
		return fmt.Errorf("argument %s: expected %s after it, found %q", o.name, o.expected(), value)
	}
	if o.text {
		if o.place {
			r.member = o.name
		}
		return nil
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n < o.least || n > o.most {
		return fmt.Errorf("argument %s: expected %s, found %q", o.name, o.expected(), value)
	}
	if o.place && n != o.alone {
		r.member = o.name
	}
	switch o.name {
	case optionStarter:
		r.starter = n
	case optionHeap:
		r.heap = n
	}
	return nil
}

func (o *option) expected() string {
	switch {
	case o.text:
		return "a text"
	case o.most == math.MaxUint64:
		return fmt.Sprintf("a number from %d", o.least)
	}
	return fmt.Sprintf("a number from %d to %d", o.least, o.most)
}
