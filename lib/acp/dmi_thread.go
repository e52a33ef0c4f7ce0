//go:build cgo && !mpi

package libacp

// #include "bind.h"
// #include "dmi_bind.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/system/dmi/session"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// callerThread returns the calling thread of DMI, whose number C has passed, or nil.
func (r *dmiRun) callerThread(self C.int) *thread.Thread {
	if self < 0 {
		return nil
	}
	return r.threads.Thread(int32(self))
}

//export goacp_dmi_rescale
func goacp_dmi_rescale(self C.int, addr C.int64_t, nodes, threads C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		return r.threads.Rescale(r.callerThread(self), int64(addr), int(nodes), int(threads))
	})
}

//export goacp_dmi_rank
func goacp_dmi_rank(id *C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("dmi_id_ptr", unsafe.Pointer(id)); err != nil {
			return err
		}
		*id = C.int32_t(r.threads.ID())
		return nil
	})
}

// goacp_dmi_self_of is DMI_self. thread is a DMI_thread_t.
//
//export goacp_dmi_self_of
func goacp_dmi_self_of(self C.int, to *C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		t := r.callerThread(self)
		if t == nil {
			return thread.ErrNotThread
		}
		return setThread(to, t.ID())
	})
}

// setThread stores the id of a thread in a DMI_thread_t.
func setThread(to *C.int32_t, id thread.ID) error {
	if err := needed("dmi_thread_ptr", unsafe.Pointer(to)); err != nil {
		return err
	}
	copy(unsafe.Slice(to, 2), []C.int32_t{C.int32_t(id.Process), C.int32_t(id.Thread)})
	return nil
}

//export goacp_dmi_create
func goacp_dmi_create(to *C.int32_t, id C.int32_t, addr, stack C.int64_t, status unsafe.Pointer) C.int {
	if err := needed("dmi_thread_ptr", unsafe.Pointer(to)); err != nil {
		return refuseDMI(err)
	}
	return dmiCall{
		check: func(r *dmiRun) error { return r.threads.CheckCreate(int(id), int64(stack)) },
		do: func(r *dmiRun) error {
			made, err := r.threads.Create(int(id), int64(addr), int64(stack))
			if err != nil {
				return err
			}
			return setThread(to, made)
		},
	}.with(status)
}

//export goacp_dmi_join
func goacp_dmi_join(self C.int, id, number C.int32_t, result *C.int64_t, status unsafe.Pointer) C.int {
	other := thread.ID{Process: int32(id), Thread: int32(number)}
	return dmiCall{
		waits: true,
		check: func(r *dmiRun) error { return r.threads.CheckJoin(r.callerThread(self), other) },
		do: func(r *dmiRun) error {
			value, err := r.threads.Join(r.callerThread(self), other)
			if err == nil && result != nil {
				*result = C.int64_t(value)
			}
			return err
		},
	}.with(status)
}

//export goacp_dmi_detach
func goacp_dmi_detach(id, number C.int32_t, status unsafe.Pointer) C.int {
	other := thread.ID{Process: int32(id), Thread: int32(number)}
	return dmiCall{
		check: func(r *dmiRun) error { return r.threads.CheckThread(other) },
		do:    func(r *dmiRun) error { return r.threads.Detach(other) },
	}.with(status)
}

//export goacp_dmi_wake
func goacp_dmi_wake(id, number C.int32_t, out unsafe.Pointer, size C.int64_t, status unsafe.Pointer) C.int {
	data, err := dmiBytes("out_ptr", out, size)
	if err != nil {
		return refuseDMI(err)
	}
	other := thread.ID{Process: int32(id), Thread: int32(number)}
	return dmiCall{
		check: func(r *dmiRun) error { return r.threads.CheckThread(other) },
		do:    func(r *dmiRun) error { return r.threads.Wake(other, data) },
	}.with(status)
}

//export goacp_dmi_suspend
func goacp_dmi_suspend(self C.int, in unsafe.Pointer) C.int {
	return doDMI(func(r *dmiRun) error {
		t := r.callerThread(self)
		if t == nil {
			return thread.ErrNotThread
		}
		data, err := t.Suspend()
		if err == nil && in != nil {
			copy(unsafe.Slice((*byte)(in), len(data)), data)
		}
		return err
	})
}

//export goacp_dmi_nodes
func goacp_dmi_nodes(to *C.struct_goacp_dmi_node, n *C.int32_t, capacity C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("num_ptr", unsafe.Pointer(n)); err != nil {
			return err
		}
		if to == nil && capacity > 0 {
			return needed("dmi_node_array", nil)
		}
		list, err := r.threads.Nodes(int(capacity))
		if err != nil {
			return err
		}
		for i, info := range list {
			setNode((*C.struct_goacp_dmi_node)(unsafe.Add(unsafe.Pointer(to), uintptr(i)*unsafe.Sizeof(*to))), info)
		}
		*n = C.int32_t(len(list))
		return nil
	})
}

// setNode stores what is known of a process.
func setNode(to *C.struct_goacp_dmi_node, i thread.Info) {
	*to = C.struct_goacp_dmi_node{id: C.int32_t(i.ID), core: C.int32_t(i.Cores), memory: C.int64_t(i.Memory), state: C.int32_t(i.State)}
	for at := range i.Host {
		to.hostname[at] = C.char(i.Host[at])
	}
}

//export goacp_dmi_welcome
func goacp_dmi_welcome(id C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.threads.Welcome(int(id)) })
}

//export goacp_dmi_goodbye
func goacp_dmi_goodbye(id C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.threads.Goodbye(int(id)) })
}

//export goacp_dmi_kill
func goacp_dmi_kill(id C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.threads.Kill(int(id)) })
}

//export goacp_dmi_fork
func goacp_dmi_fork(option *C.char, id C.int32_t, to *C.struct_goacp_dmi_node) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("dmi_node_ptr", unsafe.Pointer(to)); err != nil {
			return err
		}
		var pool uint64
		if option != nil {
			var err error
			if pool, err = session.ProcessOptions(C.GoString(option)); err != nil {
				return fmt.Errorf("%w: %w", thread.ErrArgument, err)
			}
		}
		info, err := r.threads.Fork(int(id), pool)
		if err != nil {
			return err
		}
		setNode(to, info)
		return nil
	})
}

// goacp_dmi_request is DMI_poll or, if waits is 0, DMI_peek.
//
//export goacp_dmi_request
func goacp_dmi_request(to *C.struct_goacp_dmi_node, flag *C.int8_t, waits C.int) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("dmi_node_ptr", unsafe.Pointer(to)); err != nil {
			return err
		}
		if waits == 0 && flag == nil {
			return needed("flag_ptr", nil)
		}
		info, found, err := r.threads.Request(waits != 0)
		switch {
		case err != nil:
			return err
		case found:
			setNode(to, info)
		case waits != 0:
			return fmt.Errorf("%w: no process asks for anything", thread.ErrState)
		}
		if flag != nil {
			*flag = C.int8_t(truth(found))
		}
		return nil
	})
}
