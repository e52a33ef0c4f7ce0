package segment

// byKey has the regions of a registry. Keys go up, so regions whose keys follow each other lie together:
// a map of single regions takes most of the time of registering and unregistering many.
type byKey struct {
	runs map[Key]*run
}

const runSize = 128

// run has the regions whose keys are runSize times its number, and so on.
type run struct {
	live    int // regions that are in use
	regions [runSize]region
}

// find returns the region of a key, or nil.
func (b *byKey) find(key Key) *region {
	if r := b.runs[key/runSize]; r != nil {
		if g := &r.regions[key%runSize]; g.count > 0 {
			return g
		}
	}
	return nil
}

// add adds a region, whose key is new, and returns where it is now.
func (b *byKey) add(g region) *region {
	r := b.runs[g.key/runSize]
	if r == nil {
		r = new(run)
		b.runs[g.key/runSize] = r
	}
	r.live++
	at := &r.regions[g.key%runSize]
	*at = g
	return at
}

// remove takes a region out.
func (b *byKey) remove(key Key) {
	r := b.runs[key/runSize]
	r.regions[key%runSize] = region{}
	if r.live--; r.live == 0 {
		delete(b.runs, key/runSize)
	}
}

// each calls f with every region.
func (b *byKey) each(f func(g *region)) {
	for _, r := range b.runs {
		for i := range r.regions {
			if g := &r.regions[i]; g.count > 0 {
				f(g)
			}
		}
	}
}

func (b *byKey) clear() { clear(b.runs) }
