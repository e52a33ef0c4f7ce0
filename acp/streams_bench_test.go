package acp_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// benchEachMode measures f, which rank 0 of two executes while rank 1 executes other, for each
// mode.
func benchEachMode(b *testing.B, f, other func(b *testing.B, p *acp.Process) error) {
	for _, mode := range modes {
		b.Run(mode.String(), func(b *testing.B) {
			server, env, err := rendezvous(2)
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			w := &world{server: server, env: env}
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			errs := make([]error, 2)
			var both sync.WaitGroup
			for rank, body := range []func(b *testing.B, p *acp.Process) error{f, other} {
				both.Go(func() {
					p, err := w.open(ctx, rank, acp.Config{Mode: mode})
					if err == nil {
						if err = body(b, p); err != nil {
							p.Abort(err.Error())
						}
						err = errors.Join(err, p.Finalize())
					}
					errs[rank] = err
				})
			}
			both.Wait()
			if err := errors.Join(errs...); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkSegBuf streams segments of 1 KiB through a ring of 16.
func BenchmarkSegBuf(b *testing.B) {
	const segment, count = 1 << 10, 16
	until := func(ask func() (bool, error)) error {
		for {
			if yes, err := ask(); yes || err != nil {
				return err
			}
			runtime.Gosched()
		}
	}
	finish := func(e *acp.SegBuf) error { return errors.Join(e.Disconnect(), e.Close()) }
	benchEachMode(b, func(b *testing.B, p *acp.Process) error {
		e, err := p.NewSegBufSource(1, make([]byte, segment*count), segment)
		if err == nil {
			err = e.Connect()
		}
		b.SetBytes(segment)
		b.ResetTimer()
		for i := 0; i < b.N && err == nil; i++ {
			if err = until(e.IsReady); err == nil {
				err = e.Ack()
			}
		}
		if err == nil {
			err = finish(e)
		}
		return err
	}, func(b *testing.B, p *acp.Process) error {
		mem, err := p.Malloc(segment*count, 1)
		if err != nil {
			return err
		}
		addr, err := p.QueryAddress(mem)
		if err != nil {
			return err
		}
		e, err := p.NewSegBufDestination(0, unsafe.Slice((*byte)(addr), segment*count), segment)
		if err == nil {
			err = e.Connect()
		}
		for i := 0; i < b.N && err == nil; i++ {
			if err = until(e.IsAcked); err == nil {
				err = e.Ready()
			}
		}
		if err == nil {
			err = finish(e)
		}
		return err
	})
}

// BenchmarkWorkspaceWrite writes 4 KiB of own memory to pieces on both ranks.
func BenchmarkWorkspaceWrite(b *testing.B) {
	const size = 4 << 10
	create := func(p *acp.Process) (*acp.Workspace, error) {
		if err := p.SetWorkspaceParams(0, size/4); err != nil {
			return nil, err
		}
		return p.NewWorkspace(size)
	}
	benchEachMode(b, func(b *testing.B, p *acp.Process) error {
		w, err := create(p)
		if err != nil {
			return err
		}
		from, err := p.StarterGA(0)
		b.SetBytes(size)
		b.ResetTimer()
		for i := 0; i < b.N && err == nil; i++ {
			err = w.Write(from, size, 0)
		}
		return errors.Join(err, w.Destroy())
	}, func(_ *testing.B, p *acp.Process) error {
		w, err := create(p)
		if err != nil {
			return err
		}
		return w.Destroy()
	})
}
