package reduction

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// integers is what each operator makes of two integers.
var integers = map[Operator]func(a, b int64) int64{
	Sum:     func(a, b int64) int64 { return a + b },
	Product: func(a, b int64) int64 { return a * b },
	Max:     func(a, b int64) int64 { return max(a, b) },
	Min:     func(a, b int64) int64 { return min(a, b) },
	AbsMax:  func(a, b int64) int64 { return max(max(a, -a), max(b, -b)) },
	AbsMin:  func(a, b int64) int64 { return min(max(a, -a), max(b, -b)) },
	LogicalAnd: func(a, b int64) int64 {
		if a*a > 0 && b*b > 0 {
			return 1
		}
		return 0
	},
	LogicalOr: func(a, b int64) int64 { return min(1, a*a+b*b) },
	BitAnd:    func(a, b int64) int64 { return ^(^a | ^b) },
	BitOr:     func(a, b int64) int64 { return ^(^a & ^b) },
}

// floats is what each operator makes of two numbers.
var floats = map[Operator]func(a, b float64) float64{
	Sum:     func(a, b float64) float64 { return a + b },
	Product: func(a, b float64) float64 { return a * b },
	Max:     math.Max,
	Min:     math.Min,
	AbsMax:  func(a, b float64) float64 { return math.Max(math.Abs(a), math.Abs(b)) },
	AbsMin:  func(a, b float64) float64 { return math.Min(math.Abs(a), math.Abs(b)) },
}

// TestFunctions compares all operators of all types with the same on single numbers.
func TestFunctions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for o := Sum; o <= BitOr; o++ {
		for n := range 20 {
			left, right := numbers(rnd, n), numbers(rnd, n)
			check(t, Int, o, convert[int32](left), convert[int32](right), integers[o])
			check(t, Long, o, left, right, integers[o])
			check(t, LongLong, o, left, right, integers[o])
			check(t, Float, o, convert[float32](left), convert[float32](right), floats[o])
			check(t, Double, o, convert[float64](left), convert[float64](right), floats[o])
		}
	}
}

// numbers returns n small numbers, which have the same sums and products in all types.
func numbers(rnd *rand.Rand, n int) []int64 {
	x := make([]int64, n)
	for i := range x {
		x[i] = rnd.Int64N(9) - 4
	}
	return x
}

// convert returns the numbers as others of a type.
func convert[T number](x []int64) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}

// bytesOf returns a copy of numbers in memory.
func bytesOf[T number](x []T) []byte {
	b := make([]byte, len(x)*int(unsafe.Sizeof(*new(T))))
	copy(elements[T](b), x)
	return b
}

// check combines two arrays into either of them. model is nil if there is no such operator.
func check[T number, M int64 | float64](t *testing.T, typ Type, o Operator, left, right []T, model func(a, b M) M) {
	t.Helper()
	f, err := For(o, typ)
	if model == nil {
		if !errors.Is(err, ErrOperator) {
			t.Errorf("%v for type %d: %v", o, typ, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v for type %d: %v", o, typ, err)
	}
	want := make([]T, len(left))
	for i := range want {
		want[i] = T(model(M(left[i]), M(right[i])))
	}
	for _, intoLeft := range []bool{true, false} {
		l, r := bytesOf(left), bytesOf(right)
		if f.Prepare != nil {
			f.Prepare(l)
			f.Prepare(r)
		}
		dst := r
		if intoLeft {
			dst = l
		}
		f.Combine(dst, l, r)
		if !slices.Equal(elements[T](dst), want) {
			t.Errorf("%v of type %d of %v and %v: %v, want %v", o, typ, left, right, elements[T](dst), want)
		}
	}
}

// TestAbsolute: a process that is alone has absolute values, too.
func TestAbsolute(t *testing.T) {
	for _, o := range []Operator{AbsMax, AbsMin} {
		f, err := For(o, Double)
		if err != nil {
			t.Fatal(err)
		}
		b := bytesOf([]float64{-1.5, math.Copysign(0, -1), 2, math.Inf(-1)})
		f.Prepare(b)
		if want := bytesOf([]float64{1.5, 0, 2, math.Inf(1)}); !bytes.Equal(b, want) {
			t.Errorf("%v: %v", o, elements[float64](b))
		}
	}
}

// TestParse: an operator is known by the beginning of the text.
func TestParse(t *testing.T) {
	for text, want := range map[string]Operator{
		"+": Sum, "+ garbage": Sum, "*": Product, "max": Max, "maximum": Max, "min\x00": Min, "absmax": AbsMax,
		"absmin ": AbsMin, "abs": AbsMax, "absolute": AbsMax, "or": BitOr, "&&": LogicalAnd, "land": LogicalAnd,
		"||": LogicalOr, "lor": LogicalOr, "&": BitAnd, "& ": BitAnd, "band": BitAnd, "|": BitOr, "bor": BitOr,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", "ma", "ab", "xor", "Max", "l", "o"} {
		if got, err := Parse(text); !errors.Is(err, ErrOperator) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestInvalid: there are no functions for operators and types that do not exist.
func TestInvalid(t *testing.T) {
	for _, c := range []struct {
		o   Operator
		typ Type
	}{{0, Int}, {BitOr + 1, Int}, {-1, Double}, {Sum, -1}, {Sum, Double + 1}} {
		if _, err := For(c.o, c.typ); !errors.Is(err, ErrOperator) {
			t.Errorf("operator %d for type %d: %v", c.o, c.typ, err)
		}
	}
}
