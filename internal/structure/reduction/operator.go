package reduction

import (
	"errors"
	"fmt"
	"strings"
)

// Operator says what is made of two numbers.
type Operator int

// The operators.
const (
	Sum Operator = iota + 1
	Product
	Max
	Min
	AbsMax // greatest absolute value
	AbsMin // smallest absolute value
	LogicalAnd
	LogicalOr
	BitAnd
	BitOr
)

// ErrOperator: there is no such operator, or not for this type.
var ErrOperator = errors.New("no such operation")

// names are the names of the operators in programs. A name stands before the beginnings of it that
// are names, too.
var names = []struct {
	name string
	op   Operator
}{
	{"+", Sum}, {"*", Product}, {"max", Max}, {"min", Min},
	{"absmax", AbsMax}, {"absmin", AbsMin}, {"abs", AbsMax},
	{"&&", LogicalAnd}, {"land", LogicalAnd}, {"||", LogicalOr}, {"lor", LogicalOr},
	{"&", BitAnd}, {"band", BitAnd}, {"|", BitOr}, {"bor", BitOr}, {"or", BitOr},
}

// Parse returns the operator that text begins with: Fortran programs pass text without an end.
// Fails with ErrOperator.
func Parse(text string) (Operator, error) {
	for _, n := range names {
		if strings.HasPrefix(text, n.name) {
			return n.op, nil
		}
	}
	return 0, fmt.Errorf("%w: %.8q", ErrOperator, text)
}

// MaxName is the length of the longest name of an operator.
const MaxName = len("absmax")

// String returns the name of the operator.
func (o Operator) String() string {
	for _, n := range names {
		if n.op == o {
			return n.name
		}
	}
	return "invalid"
}

// unary reports whether the operator changes the numbers of a single process.
func (o Operator) unary() bool { return o == AbsMax || o == AbsMin }

// integral reports whether the operator is for integers alone.
func (o Operator) integral() bool { return o >= LogicalAnd }
