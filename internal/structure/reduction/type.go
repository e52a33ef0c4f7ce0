package reduction

// Type is a type of numbers, as ARMCI numbers them.
type Type int

// The types.
const (
	Int Type = iota
	Long
	LongLong
	Float
	Double
)

// Size returns the bytes of a number, or 0 if there is no such type.
func (t Type) Size() int {
	switch t {
	case Int, Float:
		return 4
	case Long, LongLong, Double:
		return 8
	}
	return 0
}

// integer reports whether the numbers are integers.
func (t Type) integer() bool { return t == Int || t == Long || t == LongLong }
