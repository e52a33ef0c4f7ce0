package activity

import (
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// caller is the place where a program has called the library.
type caller struct {
	call string // the function of the library; "" if it is not known
	at   string // file and line in the program; "" if they are not known
	site uint64 // the return address of the function of the library; 0 if it is not known or at is
}

// findCaller returns the call of the library that the calling goroutine executes.
var findCaller = goCaller

// NameFunctions sets the function that finds callers. name returns the function of a binding that the program
// has called, "" if none, and the address to which that function returns, 0 if it is not known. A binding
// calls NameFunctions before the first Page is made. name does not block.
func NameFunctions(name func() (call string, site uint64)) {
	findCaller = func() caller {
		call, site := name()
		return caller{call: call, site: site}
	}
}

// maxFrames bounds the frames that are searched for the program.
const maxFrames = 24

// goCaller is findCaller of programs in Go.
func goCaller() (c caller) {
	var pcs [maxFrames]uintptr
	const skip = 4 // runtime.Callers, goCaller, Page.show, Page.Sleep
	for _, pc := range pcs[:runtime.Callers(skip, pcs[:])] {
		for _, f := range framesAt(pc) {
			switch f.owner {
			case library:
				c.call = f.name
			case program:
				c.at = f.at
				return c
			}
		}
	}
	return caller{} // a goroutine of the library
}

// owner is the owner of the code of a frame.
type owner uint8

const (
	program owner = iota
	library
	standard // packages that call functions of their callers
)

// frame is a frame of a stack.
type frame struct {
	owner    owner
	name, at string
}

// frames caches frames by program counter.
var frames sync.Map

// framesAt returns the frames of a program counter, several if functions are inlined there. The
// innermost is the first.
func framesAt(pc uintptr) []frame {
	if known, ok := frames.Load(pc); ok {
		return known.([]frame)
	}
	var all []frame
	for next := runtime.CallersFrames([]uintptr{pc}); ; {
		f, more := next.Next()
		all = append(all, frame{owner: ownerOf(f.Function), name: shortName(f.Function),
			at: path.Base(f.File) + ":" + strconv.Itoa(f.Line)})
		if !more {
			break
		}
	}
	frames.Store(pc, all)
	return all
}

// module is the path of the module of the library.
const module = "github.com/goacp/goacp/"

// ownerOf returns the owner of a function's code.
func ownerOf(function string) owner {
	if inside, ok := strings.CutPrefix(function, module); ok {
		folder, _, _ := strings.Cut(inside, "/")
		folder, _, _ = strings.Cut(folder, ".")
		switch folder {
		case "acp", "armci", "couple", "dmi", "gp", "internal", "lib", "bridge", "mpi":
			return library
		}
		return program // such as examples
	}
	switch folder, _, _ := strings.Cut(function, "."); folder {
	case "runtime", "sync", "context", "iter", "slices", "sort":
		return standard
	}
	return program
}

// shortName returns the name of a function in the form that users know: acp.Process.Sync for
// github.com/goacp/goacp/acp.(*Process).Sync.
func shortName(function string) string {
	name := path.Base(withoutTypes(function))
	return strings.NewReplacer("(*", "", ")", "").Replace(name)
}

// withoutTypes leaves out the type arguments of a function.
func withoutTypes(function string) string {
	before, rest, found := strings.Cut(function, "[")
	if !found {
		return function
	}
	return before + rest[strings.LastIndexByte(rest, ']')+1:]
}
