package node

import (
	"bytes"
	"slices"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// watcher waits until bytes of a page differ from others.
type watcher struct {
	*outcome
	part
	old []byte
	now []byte // the bytes that differ, once there are some
}

// notice ends the watchers of a page whose bytes differ from theirs in b, the bytes of the page. The caller holds the lock of the entry.
func (n *Node) notice(o *outbox, e *entry, b []byte) {
	if len(e.watchers) == 0 {
		return
	}
	e.watchers = slices.DeleteFunc(e.watchers, func(w *watcher) bool {
		now := b[w.at:][:len(w.b)]
		if bytes.Equal(now, w.old) {
			return false
		}
		w.now = bytes.Clone(now)
		o.add(func() { w.Complete(0, nil) })
		return true
	})
}

// Watch waits while the bytes at an address equal old, and copies them to out when they differ. Each change is noticed, also one that the
// next change undoes. Of a range of several pages, the bytes of the page that differs are those at that moment, and those of the other
// pages are read afterwards. Fails if the space ends, or the run is over.
func (n *Node) Watch(addr int64, old, out []byte) error {
	s, offset, err := n.check(addr, int64(len(old)))
	if err != nil {
		return err
	}
	if len(out) != len(old) {
		return ErrSize
	}
	if len(old) == 0 {
		return nil
	}
	fired := &outcome{cond: n.p.Cond}
	var watchers []*watcher
	err = s.parts(offset, out, func(p part) error {
		w := &watcher{outcome: fired, part: p, old: bytes.Clone(old[p.from:][:len(p.b)])}
		watchers = append(watchers, w)
		return n.watch(w)
	})
	if err == nil {
		err = fired.wait(activity.For(activity.Watch).At(addr, int64(len(old))))
	}
	for _, w := range watchers {
		n.unwatch(w)
	}
	if err == nil {
		err = n.readWatched(watchers)
	}
	return err
}

// readWatched sets the bytes of a range of which at least one page differs.
func (n *Node) readWatched(watchers []*watcher) error {
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	for _, w := range watchers {
		if w.now != nil {
			copy(w.b, w.now)
		} else if err := n.read(w.part, Get); err != nil {
			return err
		}
	}
	return nil
}

// watch adds a watcher to its page, and lets this process notice each change of it.
func (n *Node) watch(w *watcher) error {
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	e := w.entry
	e.mu.Lock()
	e.watchers = append(e.watchers, w)
	e.mu.Unlock()
	for {
		noticed, err := n.attend(e)
		if noticed || err != nil {
			return err
		}
		if _, err := n.fetch(part{entry: e}, page.Update, flagWatch); err != nil {
			return err
		}
	}
}

// attend reports whether this process notices changes of a page that it watches: it owns the page, or has an update copy. Then it
// compares the bytes as they are.
func (n *Node) attend(e *entry) (bool, error) {
	var o outbox
	defer func() { o.flush() }()
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.space.ended.Load():
		return false, spaceError(e.space.base)
	case e.own != nil:
		n.perform(&o, e, nil) // sets the flags, after which each change is a request
		if !e.own.machine.Shut() {
			n.notice(&o, e, e.own.block.bytes)
		}
	case e.copy.Valid() && e.copy.Kind() == page.Update:
		n.notice(&o, e, e.block.bytes)
	case e.copy.Held() && e.copy.Kind() == page.Update: // the release compares the bytes
	default:
		return false, nil
	}
	return true, nil
}

// unwatch removes a watcher that has ended or is not needed any more.
func (n *Node) unwatch(w *watcher) {
	if n.users.Enter() != nil {
		return
	}
	defer n.users.Leave()
	var o outbox
	e := w.entry
	e.mu.Lock()
	e.watchers = slices.DeleteFunc(e.watchers, func(x *watcher) bool { return x == w })
	if e.own != nil && len(e.watchers) == 0 {
		n.perform(&o, e, nil)
	}
	e.mu.Unlock()
	o.flush()
}
