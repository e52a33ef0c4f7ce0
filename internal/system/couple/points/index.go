package points

import (
	"cmp"
	"slices"
)

// Index answers whether a List has a number. It has 24 bytes for each run of the list.
type Index struct{ runs []Run }

// Index returns the index of a list that ascends.
func (l *List) Index() Index {
	var x Index
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return x
		}
		x.runs = append(x.runs, r)
	}
}

// Has reports whether the list has a number.
func (x Index) Has(n int64) bool {
	i, found := slices.BinarySearchFunc(x.runs, n, func(r Run, n int64) int { return cmp.Compare(r.Start, n) })
	if found || i == 0 {
		return found
	}
	r := x.runs[i-1]
	return n <= r.Last() && (n-r.Start)%r.Stride == 0
}
