package element

// Type is the type of the elements of an accumulate. The numbers are those of C.
type Type int

// The element types.
const (
	Int32 Type = iota
	Int64
	Float32
	Float64
	Complex64
	Complex128
	typeEnd
)

var sizes = [typeEnd]int64{Int32: 4, Int64: 8, Float32: 4, Float64: 8, Complex64: 8, Complex128: 16}

// Valid reports whether there is such a type.
func (t Type) Valid() bool { return t >= 0 && t < typeEnd }

// Size returns the bytes of an element.
func (t Type) Size() int64 { return sizes[t] }

// Component returns the bytes of what changes at once: the element, or one of the two parts of a
// complex number.
func (t Type) Component() int64 {
	if t == Complex64 || t == Complex128 {
		return sizes[t] / 2
	}
	return sizes[t]
}

// MaxSize is the greatest size of an element.
const MaxSize = 16

// Scale is a factor: one element of its type, as memory has it.
type Scale [MaxSize]byte
