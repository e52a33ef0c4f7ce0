package weights

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// box is all places whose coordinates are between two corners.
type box struct{ low, high vector }

// boxOf returns the smallest box that contains places.
func boxOf(all ...vector) box {
	b := box{all[0], all[0]}
	for _, v := range all[1:] {
		b = b.with(box{v, v})
	}
	return b
}

// with returns the smallest box that contains two boxes.
func (b box) with(o box) box {
	for i := range b.low {
		b.low[i], b.high[i] = min(b.low[i], o.low[i]), max(b.high[i], o.high[i])
	}
	return b
}

// meets reports whether two boxes have a place in common.
func (b box) meets(o box) bool {
	for i := range b.low {
		if b.low[i] > o.high[i] || o.low[i] > b.high[i] {
			return false
		}
	}
	return true
}

// distance returns the square of the distance of a place from the box.
func (b box) distance(v vector) float64 {
	sum := 0.0
	for i := range v {
		d := max(b.low[i]-v[i], v[i]-b.high[i], 0)
		sum += d * d
	}
	return sum
}

// around returns a box that contains a cell. On the sphere the cell lies outside of the plane of its corners, by less than
// the square of its radius.
func (s surface) around(p polygon) box {
	b := boxOf(p...)
	if s == sphere {
		middle, radius := vector{}, 0.0
		for _, v := range p {
			middle = middle.plus(v.times(1 / float64(len(p))))
		}
		for _, v := range p {
			radius = max(radius, v.minus(middle).dot(v.minus(middle)))
		}
		for i := range b.low {
			b.low[i], b.high[i] = b.low[i]-radius, b.high[i]+radius
		}
	}
	return b
}

// widened returns a box that contains a cell whose edges are arcs of circles of latitude. The box b contains the cell with straight
// edges. The cell has a width in degrees, and lies between two latitudes. Its arcs bulge by at most the height of the arc on the
// longest circle.
func (b box) widened(width, south, north float64) box {
	const degree = math.Pi / 180
	longest := 1.0
	if south > 0 || north < 0 {
		longest = math.Cos(min(math.Abs(south), math.Abs(north)) * degree)
	}
	more := longest * (1 - math.Cos(min(width/2, 90)*degree))
	for i := range 2 {
		b.low[i], b.high[i] = b.low[i]-more, b.high[i]+more
	}
	return b
}

// tree finds boxes by their places. It is a binary tree, whose leaves have few boxes.
type tree struct {
	items []item
	boxes []box // of the nodes: that of node i contains those of nodes 2i+1 and 2i+2
}

// item is a box with the number of what it contains.
type item struct {
	box
	number int
}

// leaf is the greatest number of items of a leaf.
const leaf = 8

// newTree returns a tree of items, whose order it changes.
func newTree(items []item) *tree {
	t := &tree{items: items}
	if len(items) > 0 {
		t.build(0, items)
	}
	return t
}

// build makes the node with a number, which has some items.
func (t *tree) build(node int, items []item) {
	b := items[0].box
	for _, i := range items[1:] {
		b = b.with(i.box)
	}
	for len(t.boxes) <= node {
		t.boxes = append(t.boxes, box{})
	}
	t.boxes[node] = b
	if len(items) <= leaf {
		return
	}
	axis := 0
	for i := range b.low {
		if b.high[i]-b.low[i] > b.high[axis]-b.low[axis] {
			axis = i
		}
	}
	sort.Slice(items, func(i, j int) bool {
		a, b := &items[i], &items[j]
		if x, y := a.low[axis]+a.high[axis], b.low[axis]+b.high[axis]; x != y {
			return x < y
		}
		return a.number < b.number
	})
	t.build(2*node+1, items[:len(items)/2])
	t.build(2*node+2, items[len(items)/2:])
}

// visit calls each for the numbers of all items whose boxes meet a box.
func (t *tree) visit(b box, each func(number int)) {
	if len(t.items) > 0 {
		t.visitNode(0, t.items, b, each)
	}
}

func (t *tree) visitNode(node int, items []item, b box, each func(number int)) {
	if !t.boxes[node].meets(b) {
		return
	}
	if len(items) <= leaf {
		for i := range items {
			if items[i].meets(b) {
				each(items[i].number)
			}
		}
		return
	}
	t.visitNode(2*node+1, items[:len(items)/2], b, each)
	t.visitNode(2*node+2, items[len(items)/2:], b, each)
}

// near is an item with the square of its distance.
type near struct {
	number   int
	distance float64
}

// closer orders by distance, and at equal distances by number, so that the result does not depend on the tree.
func closer(a, b near) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.number, b.number))
}

// nearest returns the k nearest items to a place, ascending. It uses the memory of found.
func (t *tree) nearest(v vector, k int, found []near) []near {
	found = found[:0]
	if len(t.items) > 0 {
		found = t.nearestIn(0, t.items, v, k, found)
	}
	return found
}

func (t *tree) nearestIn(node int, items []item, v vector, k int, found []near) []near {
	if len(found) == k && t.boxes[node].distance(v) > found[k-1].distance {
		return found
	}
	if len(items) <= leaf {
		for i := range items {
			n := near{items[i].number, items[i].box.distance(v)}
			at, _ := slices.BinarySearchFunc(found, n, closer)
			if at < k {
				if len(found) == k {
					found = found[:k-1]
				}
				found = slices.Insert(found, at, n)
			}
		}
		return found
	}
	half := len(items) / 2
	first, second := 2*node+1, 2*node+2
	if t.boxes[first].distance(v) <= t.boxes[second].distance(v) {
		found = t.nearestIn(first, items[:half], v, k, found)
		return t.nearestIn(second, items[half:], v, k, found)
	}
	found = t.nearestIn(second, items[half:], v, k, found)
	return t.nearestIn(first, items[:half], v, k, found)
}
