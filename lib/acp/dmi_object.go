//go:build cgo && !mpi

package libacp

// #include "bind.h"
// #include "dmi_bind.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// objectThread returns the calling thread of DMI as objects name it.
func (r *dmiRun) objectThread(self C.int) (object.Thread, error) {
	if self < 0 {
		return object.Thread{}, thread.ErrNotThread
	}
	return object.Thread{Member: r.node.ID(), Number: uint32(self)}, nil
}

// goacp_dmi_object carries out an act on the object at an address.
//
//export goacp_dmi_object
func goacp_dmi_object(act C.int, addr C.int64_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.act(act, int64(addr)) })
}

func (r *dmiRun) act(act C.int, addr int64) error {
	o := r.objects
	switch act {
	case C.GOACP_DMI_BARRIER_INIT:
		return o.InitBarrier(addr)
	case C.GOACP_DMI_BARRIER_DESTROY:
		return o.DestroyBarrier(addr)
	case C.GOACP_DMI_MUTEX_INIT:
		return o.InitMutex(addr)
	case C.GOACP_DMI_MUTEX_DESTROY:
		return o.DestroyMutex(addr)
	case C.GOACP_DMI_COND_INIT:
		return o.InitCond(addr)
	case C.GOACP_DMI_COND_DESTROY:
		return o.DestroyCond(addr)
	case C.GOACP_DMI_COND_SIGNAL:
		return o.SignalCond(addr)
	case C.GOACP_DMI_COND_BROADCAST:
		return o.BroadcastCond(addr)
	case C.GOACP_DMI_SPIN_INIT:
		return o.InitSpin(addr)
	case C.GOACP_DMI_SPIN_DESTROY:
		return o.DestroySpin(addr)
	case C.GOACP_DMI_RWSET_DESTROY:
		return o.DestroyRWSet(addr)
	default:
		return o.DestroyIDPool(addr)
	}
}

// goacp_dmi_lock carries out an act of the calling thread on the mutex or spin lock at an address.
//
//export goacp_dmi_lock
func goacp_dmi_lock(act, self C.int, addr C.int64_t, found unsafe.Pointer) C.int {
	return doDMI(func(r *dmiRun) error { return r.find(int64(addr), found, r.lock(act, self, int64(addr))) })
}

func (r *dmiRun) lock(act, self C.int, addr int64) error {
	t, err := r.objectThread(self)
	if err != nil {
		return err
	}
	switch act {
	case C.GOACP_DMI_MUTEX_LOCK:
		return r.objects.Lock(context.Background(), addr, t)
	case C.GOACP_DMI_MUTEX_UNLOCK:
		return r.objects.Unlock(addr, t)
	case C.GOACP_DMI_SPIN_LOCK:
		return r.objects.LockSpin(context.Background(), addr, t)
	default:
		return r.objects.UnlockSpin(addr, t)
	}
}

// goacp_dmi_trylock is DMI_mutex_trylock or, if spins is not 0, DMI_spin_trylock.
//
//export goacp_dmi_trylock
func goacp_dmi_trylock(spins, self C.int, addr C.int64_t, flag *C.int32_t, found unsafe.Pointer) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("try_flag_ptr", unsafe.Pointer(flag)); err != nil {
			return err
		}
		t, err := r.objectThread(self)
		if err != nil {
			return err
		}
		try := r.objects.TryLock
		if spins != 0 {
			try = r.objects.TryLockSpin
		}
		has, err := try(int64(addr), t)
		if err == nil {
			*flag = C.int32_t(truth(has))
		}
		return r.find(int64(addr), found, err)
	})
}

//export goacp_dmi_cond_wait
func goacp_dmi_cond_wait(self C.int, cond, mutex C.int64_t) C.int {
	return doDMI(func(r *dmiRun) error {
		t, err := r.objectThread(self)
		if err != nil {
			return err
		}
		return r.objects.Wait(context.Background(), int64(cond), int64(mutex), t)
	})
}

var errNoBarrier = errors.New("no such local barrier: DMI_local_barrier_init has not been called for it, or DMI_local_barrier_destroy has")

//export goacp_dmi_local_barrier_init
func goacp_dmi_local_barrier_init(barrier unsafe.Pointer, addr C.int64_t) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("barrier", barrier); err != nil {
			return err
		}
		b, err := r.objects.NewLocalBarrier(int64(addr))
		if err == nil {
			(*C.struct_goacp_dmi_barrier)(barrier).addr = addr
			dmi.barriers.enter(barrier, b)
		}
		return err
	})
}

//export goacp_dmi_local_barrier_destroy
func goacp_dmi_local_barrier_destroy(barrier unsafe.Pointer) C.int {
	return doDMI(func(*dmiRun) error {
		b, err := dmi.barriers.drop("barrier", barrier, errNoBarrier)
		if err == nil {
			b.Destroy()
		}
		return err
	})
}

//export goacp_dmi_local_barrier_sync
func goacp_dmi_local_barrier_sync(barrier unsafe.Pointer, n C.int32_t, found unsafe.Pointer) C.int {
	return doDMI(func(r *dmiRun) error {
		b, err := dmi.barriers.find("barrier", barrier, errNoBarrier)
		if err != nil {
			return err
		}
		addr := int64((*C.struct_goacp_dmi_barrier)(barrier).addr)
		return r.find(addr, found, b.Sync(context.Background(), int(n)))
	})
}

// goacp_dmi_local_barrier_await waits for the end of a round for which C has counted the calling thread.
//
//export goacp_dmi_local_barrier_await
func goacp_dmi_local_barrier_await(barrier unsafe.Pointer, n C.int32_t, round C.uint32_t) C.int {
	return doDMI(func(*dmiRun) error {
		b, err := dmi.barriers.find("barrier", barrier, errNoBarrier)
		if err != nil {
			return err
		}
		return b.Await(int(n), uint32(round))
	})
}

//export goacp_dmi_local_barrier_allreduce
func goacp_dmi_local_barrier_allreduce(barrier unsafe.Pointer, n C.int32_t, in, out unsafe.Pointer, op, kind C.int8_t) C.int {
	return doDMI(func(*dmiRun) error {
		b, err := dmi.barriers.find("barrier", barrier, errNoBarrier)
		if err != nil {
			return err
		}
		size := C.int64_t(object.ValueSize(int8(kind))) // 0: AllReduce says what is wrong
		value, err := dmiBytes("sub_value_ptr", in, size)
		if err != nil {
			return err
		}
		result, err := dmiBytes("value_ptr", out, size)
		if err != nil {
			return err
		}
		return b.AllReduce(context.Background(), int(n), value, result, int8(op), int8(kind))
	})
}

//export goacp_dmi_idpool_init
func goacp_dmi_idpool_init(addr C.int64_t, n C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.objects.InitIDPool(int64(addr), int(n)) })
}

//export goacp_dmi_idpool_get
func goacp_dmi_idpool_get(addr C.int64_t, to *C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("id_ptr", unsafe.Pointer(to)); err != nil {
			return err
		}
		id, err := r.objects.GetID(int64(addr))
		if err == nil {
			*to = C.int32_t(id)
		}
		return err
	})
}

//export goacp_dmi_idpool_put
func goacp_dmi_idpool_put(addr C.int64_t, id C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.objects.PutID(int64(addr), int(id)) })
}

var errNoLocalSet = errors.New("no such local read-write-set: DMI_local_rwset_init has not been called for it, or DMI_local_rwset_destroy has")

// dmiElements returns a copy of the numbers of elements that the program passes as name.
func dmiElements(name string, from *C.int64_t, n C.int32_t) ([]int64, error) {
	switch {
	case n < 0:
		return nil, fmt.Errorf("%w: %d elements", errDMISize, n)
	case n == 0:
		return nil, nil
	case from == nil:
		return nil, needed(name, nil)
	}
	return slices.Clone(unsafe.Slice((*int64)(from), n)), nil
}

//export goacp_dmi_rwset_init
func goacp_dmi_rwset_init(addr, elements, size C.int64_t, regions C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		return r.objects.InitRWSet(int64(addr), int64(elements), int64(size), int(regions))
	})
}

//export goacp_dmi_rwset_decompose
func goacp_dmi_rwset_decompose(addr C.int64_t, region C.int32_t, elements *C.int64_t, n C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		list, err := dmiElements("write_elements", elements, n)
		if err != nil {
			return err
		}
		return r.objects.Decompose(int64(addr), int(region), list)
	})
}

//export goacp_dmi_local_rwset_init
func goacp_dmi_local_rwset_init(set unsafe.Pointer, addr C.int64_t, region C.int32_t, elements *C.int64_t, n C.int32_t) C.int {
	return doDMI(func(r *dmiRun) error {
		if err := needed("rwset", set); err != nil {
			return err
		}
		list, err := dmiElements("read_elements", elements, n)
		if err != nil {
			return err
		}
		l, err := r.objects.NewLocalRWSet(int64(addr), int(region), list)
		if err == nil {
			dmi.sets.enter(set, l)
		}
		return err
	})
}

//export goacp_dmi_local_rwset_destroy
func goacp_dmi_local_rwset_destroy(set unsafe.Pointer) C.int {
	return doDMI(func(*dmiRun) error {
		l, err := dmi.sets.drop("rwset", set, errNoLocalSet)
		if err == nil {
			l.Destroy()
		}
		return err
	})
}

// goacp_dmi_local_rwset_move is DMI_local_rwset_read or, if writes is not 0, DMI_local_rwset_write.
//
//export goacp_dmi_local_rwset_move
func goacp_dmi_local_rwset_move(set, buffer, status unsafe.Pointer, writes C.int) C.int {
	defer stopDMIPanic()
	debug.SetPanicOnFault(true)
	l, err := dmi.sets.find("rwset", set, errNoLocalSet)
	if err != nil {
		return refuseDMI(err)
	}
	size, move := l.ReadSize(), l.Read
	if writes != 0 {
		size, move = l.WriteSize(), l.Write
	}
	b, err := dmiBytes("buf", buffer, C.int64_t(size))
	if err != nil {
		return refuseDMI(err)
	}
	return dmiCall{do: func(*dmiRun) error { return move(b) }}.with(status)
}
