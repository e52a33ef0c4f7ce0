package segment

// goHeapEnd is the end of the addresses from which Go chooses one for its heap.
const goHeapEnd = 1 << 46
