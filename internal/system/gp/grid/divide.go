package grid

// divide returns the number of blocks along each dimension for arrays whose program does not set
// the begins of blocks. Among all grids that have at most as many blocks as ranks, and whose
// blocks have at least the extents of chunk, it takes the grid with (1) the most blocks, (2) the
// fewest places in the greatest block, (3) the smallest surface of that block, (4) the most
// blocks along the first dimension, then the second, and so on.
func divide(dims, chunk []int, ranks int) []int {
	limits, most := limitsOf(dims, chunk, ranks)
	for blocks := most; ; blocks-- {
		s := search{dims: dims, limits: limits, divisors: divisors(blocks), grid: make([]int, len(dims))}
		s.try(0, blocks)
		if s.best != nil {
			return s.best
		}
	}
}

// limitsOf returns the greatest number of blocks along each dimension, and a bound of their
// product.
func limitsOf(dims, chunk []int, ranks int) (limits []int, most int) {
	limits, most = make([]int, len(dims)), 1
	for d, n := range dims {
		limits[d] = n
		if chunk != nil && chunk[d] > 0 {
			limits[d] = max(1, n/chunk[d])
		}
		limits[d] = min(limits[d], ranks)
		most = min(most*limits[d], ranks)
	}
	return limits, most
}

// divisors returns the divisors of n, the greatest first.
func divisors(n int) (all []int) {
	for p := n; p > 0; p-- {
		if n%p == 0 {
			all = append(all, p)
		}
	}
	return all
}

// search examines all grids with one number of blocks.
type search struct {
	dims, limits []int
	divisors     []int // of the number of blocks
	grid         []int // that is looked at

	best             []int
	volume, surfaces int // of the greatest block of best
}

// try examines all grids that have the chosen numbers of blocks along the dimensions before d,
// and rest blocks along the other dimensions.
func (s *search) try(d, rest int) {
	if d == len(s.dims)-1 {
		if rest <= s.limits[d] {
			s.grid[d] = rest
			s.compare()
		}
		return
	}
	for _, p := range s.divisors {
		if p <= s.limits[d] && rest%p == 0 {
			s.grid[d] = p
			s.try(d+1, rest/p)
		}
	}
}

// compare keeps the grid if it is better than the best grid so far. Of equally good grids the
// first has more blocks along the first dimensions.
func (s *search) compare() {
	volume := 1
	for d, n := range s.dims {
		volume *= extent(n, s.grid[d])
	}
	surfaces := 0
	for d, n := range s.dims {
		surfaces += volume / extent(n, s.grid[d])
	}
	if s.best == nil || volume < s.volume || volume == s.volume && surfaces < s.surfaces {
		s.best, s.volume, s.surfaces = append(s.best[:0], s.grid...), volume, surfaces
	}
}

// extent returns the places of the longest of blocks that n places are cut into.
func extent(n, blocks int) int { return (n + blocks - 1) / blocks }
