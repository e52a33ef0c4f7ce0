package page

// Copy is what a process knows of its copy of a page that another process owns. The zero value is no copy. One goroutine at a time
// uses it.
type Copy struct {
	condition condition
	kind      CopyKind
	version   uint64 // of the bytes
	grant     uint64 // of the copy
	fetching  uint64 // grant of the Fetch under way, or 0
	last      uint64 // newest grant
}

// condition is whether a copy can be read.
type condition uint8

const (
	absent condition = iota
	valid
	held // until the owner releases it
)

// Verdict is what a process does with the message of an owner about a copy.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // there is no such copy: answer so
	Early                  // the bytes of the copy are on their way: take the message behind them, and answer that there is a copy
	Known                  // follow the message
)

// Valid reports whether the bytes may be read.
func (c *Copy) Valid() bool { return c.condition == valid }

// Held reports whether there are bytes that wait for their release.
func (c *Copy) Held() bool { return c.condition == held }

// Present reports whether there are bytes: the copy is valid or held.
func (c *Copy) Present() bool { return c.condition != absent }

// Kind returns the kind of a copy that is present.
func (c *Copy) Kind() CopyKind { return c.kind }

// Fetching reports whether a Fetch is under way.
func (c *Copy) Fetching() bool { return c.fetching != 0 }

// Fetch begins a Fetch, and returns its grant. None is under way. An earlier copy ends, since the owner will speak of the new one alone.
func (c *Copy) Fetch() uint64 {
	c.last++
	c.condition, c.fetching = absent, c.last
	return c.last
}

// Fetched ends the Fetch under way. The bytes have come, with their version, and are the copy now. The messages that were
// Early follow.
func (c *Copy) Fetched(kind CopyKind, version uint64) {
	c.condition, c.kind, c.version, c.grant, c.fetching = valid, kind, version, c.fetching, 0
}

// Failed ends the Fetch under way without bytes. The owner has not carried it out.
func (c *Copy) Failed() { c.fetching = 0 }

// Keep makes a copy of the bytes of a page that was owned here until now, and returns its grant.
func (c *Copy) Keep(version uint64) uint64 {
	c.last++
	c.condition, c.kind, c.version, c.grant = valid, Update, version, c.last
	return c.grant
}

// Told returns what to do with a message of an owner about the copy with a grant.
func (c *Copy) Told(grant uint64) Verdict {
	switch {
	case c.fetching != 0 && grant == c.fetching:
		return Early
	case c.condition == absent || grant != c.grant:
		return Unknown
	}
	return Known
}

// Drop ends the copy.
func (c *Copy) Drop() { c.condition = absent }

// Hold keeps readers away because of a change to a version.
func (c *Copy) Hold(version uint64) { c.condition, c.version = held, version }

// Release lets readers use the copy again, unless a newer change holds it. It reports whether the copy has become valid.
func (c *Copy) Release(version uint64) bool {
	if c.condition != held || version < c.version {
		return false
	}
	c.condition = valid
	return true
}
