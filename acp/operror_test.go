package acp_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// structures returns, by name of the type, a value of each type of structure. None of them exists in memory.
func structures(p *acp.Process) map[string]any {
	return map[string]any{
		"ByteVector": p.ByteVectorAt(0), "ByteDeque": p.ByteDequeAt(0), "ByteList": p.ByteListAt(0),
		"ByteSet": p.ByteSetAt(acp.TableAddress{}), "ByteMultiset": p.ByteMultisetAt(acp.TableAddress{}), "ByteMap": p.ByteMapAt(acp.TableAddress{}),
		"Vector": must(acp.VectorAt[int64](p, 0)), "Deque": must(acp.DequeAt[int64](p, 0)), "List": must(acp.ListAt[int64](p, 0)),
		"Set": must(acp.SetAt[int64](p, acp.TableAddress{})), "Multiset": must(acp.MultisetAt[int64](p, acp.TableAddress{})),
		"Map": must(acp.MapAt[int64, int64](p, acp.TableAddress{})),
	}
}

// functions call, with bad arguments, the functions of package acp that can fail.
var functions = map[string]func(p *acp.Process) error{
	"Init": func(*acp.Process) error { return last(acp.Init(cancelled())) },
	"InitWith": func(*acp.Process) error {
		return last(acp.InitWith(context.Background(), func(*acp.Config) error { return errors.New("no configuration") }))
	},
	"Open": func(*acp.Process) error {
		return last(acp.Open(cancelled(), acp.Config{Bootstrap: failing{}}))
	},
	"WaitAll":       nil, // the errors of Request.Wait, joined
	"ConfigFromEnv": nil, // no operation of a rank; Init returns its error in an *OpError
	"ParseOnError":  nil, // likewise

	"NewSender":   func(p *acp.Process) error { return last(acp.NewSender[int64](p, -1)) },
	"NewReceiver": func(p *acp.Process) error { return last(acp.NewReceiver[*int](p, 0, acp.ChannelOptions{})) },
	"Alloc": func(p *acp.Process) error {
		_, _, err := acp.Alloc[int64](p, -1)
		return err
	},
	"NewVector":   func(p *acp.Process) error { return last(acp.NewVector[int64](p, 1, -1)) },
	"NewDeque":    func(p *acp.Process) error { return last(acp.NewDeque[int64](p, 1, -1)) },
	"NewList":     func(p *acp.Process) error { return last(acp.NewList[int64](p, -1)) },
	"NewSet":      func(p *acp.Process) error { return last(acp.NewSet[int64](p, nil, 1, 0)) },
	"NewMultiset": func(p *acp.Process) error { return last(acp.NewMultiset[int64](p, nil, 1, 0)) },
	"NewMap":      func(p *acp.Process) error { return last(acp.NewMap[int64, int64](p, nil, 1, 0)) },

	"VectorAt":   func(p *acp.Process) error { return last(acp.VectorAt[string](p, 0)) },
	"DequeAt":    func(p *acp.Process) error { return last(acp.DequeAt[string](p, 0)) },
	"ListAt":     func(p *acp.Process) error { return last(acp.ListAt[*int](p, 0)) },
	"SetAt":      func(p *acp.Process) error { return last(acp.SetAt[float64](p, acp.TableAddress{})) },
	"MultisetAt": func(p *acp.Process) error { return last(acp.MultisetAt[float64](p, acp.TableAddress{})) },
	"MapAt":      func(p *acp.Process) error { return last(acp.MapAt[float64, int64](p, acp.TableAddress{})) },
}

// harmless are methods that need not fail on a process that has been finalized: all GMAs are complete, the
// request is finished, or the iterator has no elements.
var harmless = map[string]bool{
	"Complete": true, "Inquire": true, "Wait": true,
	"Err": true, "Next": true, "Deref": true, "EraseRange": true,
}

func last[T any](_ T, err error) error { return err }

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// failing is a Bootstrap that reaches no rank.
type failing struct{ bridge.Bootstrap }

func (failing) Member() int                   { return 0 }
func (failing) Cohort() bridge.Cohort         { return bridge.Cohort{Size: 2} }
func (failing) Seats() int                    { return 2 }
func (failing) CatchUp(context.Context) error { return nil }
func (failing) Token() bridge.Token           { return bridge.Token{} }
func (failing) Exchange(context.Context, []byte) ([][]byte, error) {
	return nil, errors.New("unreachable")
}
func (failing) Abort(bridge.Abort) {}
func (failing) Close() error       { return nil }

// isOpError reports whether err is an *OpError that names its operation, or several of them.
func isOpError(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if !isOpError(e) {
				return false
			}
		}
		return true
	}
	op, ok := err.(*acp.OpError)
	return ok && op.Op != "" && op.Err != nil
}

// callMethod calls a method with arguments that are zero, except that ranks are none, contexts
// have ended and other structures are the receiver. It returns the error.
func callMethod(object any, name string) error {
	m := reflect.ValueOf(object).MethodByName(name)
	var args []reflect.Value
	n := m.Type().NumIn()
	if m.Type().IsVariadic() {
		n--
	}
	for i := range n {
		switch in := m.Type().In(i); in {
		case reflect.TypeOf(object):
			args = append(args, reflect.ValueOf(object))
		case reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(cancelled()))
		case reflect.TypeFor[acp.Rank]():
			args = append(args, reflect.ValueOf(acp.Rank(-1)))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	out := m.Call(args)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// failures returns the exported functions and methods of package acp whose last result is an
// error: functions by name, and methods by name of the type of their receivers.
func failures(t *testing.T) (functions map[string]bool, methods map[string][]string) {
	functions, methods = make(map[string]bool), make(map[string][]string)
	fset := token.NewFileSet()
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range names {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || !d.Name.IsExported() || d.Type.Results == nil {
				continue
			}
			results := d.Type.Results.List
			if id, ok := results[len(results)-1].Type.(*ast.Ident); !ok || id.Name != "error" {
				continue
			}
			if d.Recv == nil {
				functions[d.Name.Name] = true
			} else if name := receiver(d.Recv.List[0].Type); ast.IsExported(name) {
				methods[name] = append(methods[name], d.Name.Name)
			}
		}
	}
	return functions, methods
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return e.(*ast.Ident).Name
}

// TestFailuresAreOpErrors calls every function and method of package acp that can fail, with bad arguments
// and then on finalized processes. Every failure is an *OpError.
func TestFailuresAreOpErrors(t *testing.T) {
	declared, methods := failures(t)
	delete(methods, "OpError")
	delete(methods, "ManyError") // an OpError wraps it
	run(t, 1, acp.Config{}, func(p *member) error {
		for name := range declared {
			f, ok := functions[name]
			if !ok {
				t.Errorf("the test does not know how %s fails", name)
			} else if f == nil {
				continue
			} else if err := f(p.Process); !isOpError(err) {
				t.Errorf("%s fails with %T: %v", name, err, err)
			}
		}
		open := structures(p.Process)
		open["Process"] = p.Process
		open["Workspace"] = must(p.NewWorkspace(8))
		callAll(t, open, "bad arguments", func(_ string, err error) bool { return err == nil })
		return nil
	})
	closed := make([]map[string]any, 2) // by rank
	run(t, 2, acp.Config{}, func(p *member) error {
		all := structures(p.Process)
		closed[p.Rank()] = all
		all["Process"] = p.Process
		all["Workspace"] = must(p.NewWorkspace(8))
		c := must(p.NewChannel(0, 1, acp.ChannelOptions{}))
		all["Channel"] = c
		r, b := acp.Request{}, make([]byte, 64)
		if p.Rank() == 0 {
			r = must(c.Send([]byte{1}))
			all["SegBuf"] = must(p.NewSegBufSource(1, b, 16))
			all["Sender"] = must(acp.NewSender[int64](p.Process, 1))
		} else {
			r = must(c.Recv(b))
			all["SegBuf"] = must(p.NewSegBufDestination(0, b, 16))
			all["Receiver"] = must(acp.NewReceiver[int64](p.Process, 0, acp.ChannelOptions{}))
		}
		all["Request"] = r
		return last(r.Wait())
	})
	for name := range methods {
		if closed[0][name] == nil && closed[1][name] == nil {
			t.Errorf("the test has no object of type %s", name)
		}
	}
	for _, objects := range closed {
		callAll(t, objects, "finalized", func(method string, err error) bool { return err == nil && harmless[method] })
	}
}

// final are not called with bad arguments: they end the process or its structures, or wait for what never comes.
var final = map[string]bool{"Finalize": true, "Reset": true, "AwaitChange": true}

// callAll calls all methods of objects that can fail. Each has to fail with an *OpError, unless fine returns
// that another outcome is right.
func callAll(t *testing.T, objects map[string]any, when string, fine func(method string, err error) bool) {
	for name, object := range objects {
		typ := reflect.TypeOf(object)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			n := m.Type.NumOut()
			if n == 0 || m.Type.Out(n-1) != reflect.TypeFor[error]() || when == "bad arguments" && final[m.Name] {
				continue
			}
			err := callMethod(object, m.Name)
			if m.Name == "ReadAt" && err == io.EOF {
				continue // the contract of io.ReaderAt
			}
			if !fine(m.Name, err) && !isOpError(err) {
				t.Errorf("%s: %s.%s fails with %T: %v", when, name, m.Name, err, err)
			}
		}
	}
}
