//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/ground/activity"
)

// calledFunction returns the function that the program has called, with its arguments, for
// example "acp_malloc(size=8, rank=3)". The calling goroutine was called by that function.
func calledFunction() string { return callText(C.goacp_failed_call()) }

// functionNames has the names of functions by where C has them.
var functionNames sync.Map

func init() { activity.NameFunctions(whereCalled) }

// whereCalled returns the name of the function that the program has called, and where: its return address. The
// name is "" if the calling goroutine was not called by one.
func whereCalled() (name string, site uint64) {
	caller := C.goacp_caller()
	if caller.function == nil {
		return "", 0
	}
	if known, ok := functionNames.Load(caller.function); ok {
		return known.(string), uint64(caller.site)
	}
	name = C.GoString(caller.function)
	functionNames.Store(caller.function, name)
	return name, uint64(caller.site)
}

// callText returns a function with its arguments.
func callText(call *C.struct_goacp_call) string {
	arguments := unsafe.Slice(call.arguments, mostArguments+1)
	var texts []string
	for _, a := range arguments {
		if a.name == nil {
			break
		}
		name := C.GoString(a.name)
		texts = append(texts, name+"="+argument(name, C.GoString(a.form), a.value))
	}
	return fmt.Sprintf("%s(%s)", C.GoString(call.function), strings.Join(texts, ", "))
}

// mostArguments is how many a function has at most.
const mostArguments = 11

// argument returns the text of the argument of a parameter, which lies at value in a form
// that call.h explains.
func argument(name, form string, value unsafe.Pointer) string {
	switch {
	case form != "u":
	case strings.Contains(" dst src ga atkey ", " "+name+" "):
		form = "x"
	case name == "order" || name == "handle":
		return handleText(acp.Handle(*(*uint64)(value)))
	}
	r := argumentReader{at: value}
	for _, f := range form {
		r.add(f)
	}
	return r.text.String()
}

// handleText returns a handle as C programs write it.
func handleText(h acp.Handle) string {
	switch h {
	case acp.HandleNull:
		return "ACP_HANDLE_NULL"
	case acp.HandleAll:
		return "ACP_HANDLE_ALL"
	case acp.HandleCont:
		return "ACP_HANDLE_CONT"
	}
	return fmt.Sprint(uint64(h))
}

// argumentReader turns the members of an argument into text.
type argumentReader struct {
	at     unsafe.Pointer
	offset uintptr
	text   strings.Builder
}

// add adds what one letter of the form stands for.
func (r *argumentReader) add(letter rune) {
	if letter == '}' {
		r.text.WriteByte('}')
		return
	}
	if s := r.text.String(); s != "" && !strings.HasSuffix(s, "{") {
		r.text.WriteString(", ")
	}
	switch letter {
	case '{':
		r.text.WriteByte('{')
	case 'd':
		fmt.Fprint(&r.text, *(*int32)(r.next(4)))
	case 'l':
		fmt.Fprint(&r.text, *(*int64)(r.next(8)))
	case 'f':
		fmt.Fprint(&r.text, *(*float32)(r.next(4)))
	case 'g':
		fmt.Fprint(&r.text, *(*float64)(r.next(8)))
	case 'w':
		fmt.Fprint(&r.text, *(*uint32)(r.next(4)))
	case 'u':
		fmt.Fprint(&r.text, *(*uint64)(r.next(8)))
	default: // x and p
		fmt.Fprintf(&r.text, "%#x", *(*uint64)(r.next(8)))
	}
}

// next returns where the next member is, which has size bytes and is aligned to as many.
func (r *argumentReader) next(size uintptr) unsafe.Pointer {
	at := (r.offset + size - 1) &^ (size - 1)
	r.offset = at + size
	return unsafe.Add(r.at, at)
}

// gmaCall returns the function that began the GMA which has failed with e.
func gmaCall(e *acp.OpError) string {
	texts := []string{fmt.Sprintf("dst=%#x, src=%#x", uint64(e.Dst), uint64(e.Src))}
	switch len(e.Operands) {
	case 0:
		texts = append(texts, fmt.Sprintf("size=%d", e.Size))
	case 1:
		texts = append(texts, fmt.Sprintf("value=%d", e.Operands[0]))
	default:
		texts = append(texts, fmt.Sprintf("oldval=%d, newval=%d", e.Operands[0], e.Operands[1]))
	}
	texts = append(texts, "order="+handleText(e.Order))
	return fmt.Sprintf("acp_%s(%s)", e.Op, strings.Join(texts, ", "))
}
