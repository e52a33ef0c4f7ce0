package reduction

import (
	"fmt"
	"unsafe"
)

// Function combines left and right, which hold the same number of elements, into dst, which is
// one of both. left is what the processes of lower rank have.
type Function func(dst, left, right []byte)

// Functions are how to combine numbers of one type by one operator.
type Functions struct {
	// Prepare changes what each process brings, before anything is combined; nil: nothing is to
	// be changed.
	Prepare func(b []byte)
	Combine Function
}

// For returns the functions of an operator for a type. All memory has the alignment of the type.
// Fails with ErrOperator.
func For(o Operator, t Type) (Functions, error) {
	if o < Sum || o > BitOr || t.Size() == 0 || o.integral() && !t.integer() {
		return Functions{}, fmt.Errorf("%w: %v for type %d", ErrOperator, o, t)
	}
	switch t {
	case Int:
		return ofInteger[int32](o), nil
	case Float:
		return ofNumber[float32](o), nil
	case Double:
		return ofNumber[float64](o), nil
	}
	return ofInteger[int64](o), nil
}

// number are the Go types of numbers.
type number interface {
	int32 | int64 | float32 | float64
}

// ofInteger returns the functions for integers.
func ofInteger[T int32 | int64](o Operator) Functions {
	switch o {
	case LogicalAnd:
		return Functions{Combine: each(func(a, b T) T { return truth[T](a != 0 && b != 0) })}
	case LogicalOr:
		return Functions{Combine: each(func(a, b T) T { return truth[T](a != 0 || b != 0) })}
	case BitAnd:
		return Functions{Combine: each(func(a, b T) T { return a & b })}
	case BitOr:
		return Functions{Combine: each(func(a, b T) T { return a | b })}
	}
	return ofNumber[T](o)
}

// truth returns 1 for true.
func truth[T number](x bool) T {
	if x {
		return 1
	}
	return 0
}

// ofNumber returns the functions of the operators for all types.
func ofNumber[T number](o Operator) Functions {
	switch o {
	case Sum:
		return Functions{Combine: sum[T]}
	case Product:
		return Functions{Combine: each(func(a, b T) T { return a * b })}
	case Max, AbsMax:
		return Functions{Prepare: prepare[T](o), Combine: each(func(a, b T) T {
			if b > a {
				return b
			}
			return a
		})}
	default:
		return Functions{Prepare: prepare[T](o), Combine: each(func(a, b T) T {
			if b < a {
				return b
			}
			return a
		})}
	}
}

// prepare returns what an operator on absolute values does first.
func prepare[T number](o Operator) func(b []byte) {
	if !o.unary() {
		return nil
	}
	return func(b []byte) {
		x := elements[T](b)
		for i, v := range x {
			if v < 0 {
				x[i] = -v
			} else {
				x[i] = v + 0 // -0 becomes 0
			}
		}
	}
}

// each returns the Function that applies f to each pair of elements.
func each[T number](f func(left, right T) T) Function {
	return func(dst, left, right []byte) {
		d, l, r := elements[T](dst), elements[T](left), elements[T](right)
		l, r = l[:len(d)], r[:len(d)]
		for i := range d {
			d[i] = f(l[i], r[i])
		}
	}
}

// sum adds, without a call for each element.
func sum[T number](dst, left, right []byte) {
	d, l, r := elements[T](dst), elements[T](left), elements[T](right)
	l, r = l[:len(d)], r[:len(d)]
	for i := range d {
		d[i] = l[i] + r[i]
	}
}

// elements returns the numbers in b.
func elements[T number](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}
