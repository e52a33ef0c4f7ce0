package thread

import (
	"sync"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Reasons shows readers why threads of this process wait that no slot and no answer wakes, and which locks threads hold. Its methods may be
// called by several goroutines at once, and do not block. Once the process finalizes they show nothing: threads of the program may still run
// then, and the memory of the page goes away.
type Reasons struct {
	mu     sync.Mutex
	page   *activity.Page // nil: there is none any more
	idle   activity.Wait  // while no thread of the program is here
	serves bool           // the process serves others until the run ends
}

// Say shows the reason of a wait until Unsay.
func (r *Reasons) Say(why activity.Reason) activity.Wait {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.page.Sleep(why)
}

// Unsay ends what Say has begun.
func (r *Reasons) Unsay(w activity.Wait) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.page.Wake(w)
}

// Hold shows that a thread of this process holds the lock at an address, until Release.
func (r *Reasons) Hold(addr int64, thread uint32) activity.Hold {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.page.Hold(addr, int64(thread))
}

// Release ends what Hold has begun.
func (r *Reasons) Release(h activity.Hold) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.page.Release(h)
}

// serve notes whether the process serves others, and how many threads of the program are here: one without any is idle.
func (r *Reasons) serve(serves bool, threads int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serves = serves
	r.rest(threads)
}

// count notes how many threads of the program are here.
func (r *Reasons) count(threads int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest(threads)
}

// rest shows whether the process is idle. The caller holds the lock.
func (r *Reasons) rest(threads int) {
	switch idle := r.serves && threads == 0; {
	case idle && r.idle == 0:
		r.idle = r.page.Sleep(activity.For(activity.Idle))
	case !idle:
		r.page.Wake(r.idle)
		r.idle = 0
	}
}

// close shows nothing any more.
func (r *Reasons) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.page = nil
}

// open begins again with a page, when a reset has emptied the process.
func (r *Reasons) open(page *activity.Page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.page = page
}
