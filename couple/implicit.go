package couple

import (
	"context"
	"unsafe"

	"github.com/goacp/goacp/internal/system/couple/implicit"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// Method is how the values of the next iteration follow from those of the last ones.
type Method = implicit.Method

// The methods. The values that go into an iteration are x, those that come out are y, and the residual is r = y - x.
const (
	Constant = implicit.Constant // x + w r
	Aitken   = implicit.Aitken   // x + w r, where w follows from the last two residuals
	IQNILS   = implicit.IQNILS   // y + W c, where c minimizes |r + V c|; V and W have the changes of r and y in earlier iterations
)

// Measure is what decides whether a field has converged. Norms are Euclidean, over all values of all ranks.
type Measure = implicit.Measure

// The measures.
const (
	Absolute = implicit.Absolute // the norm of the residual
	Relative = implicit.Relative // the norm of the residual, divided by that of the new values
	Residual = implicit.Residual // the norm of the residual, divided by that in the first iteration of the step
)

// Acceleration says how the values of the next iteration are computed.
type Acceleration struct {
	Method Method

	// Relaxation is the factor w of Constant, that of the first iteration of Aitken, and that of IQNILS as long as it has no
	// columns.
	Relaxation float64

	// Reuse is from how many steps before the present one IQNILS uses columns.
	Reuse int

	// Columns is how many columns IQNILS has at most; 0 means 20.
	Columns int
}

// Implicit lets two models repeat each step until both agree on the values that they exchange. It belongs to one rank of a model. One
// goroutine at a time calls its methods.
type Implicit struct{ core *link.Implicit }

// StepIterations says how a step has ended.
type StepIterations = link.StepIterations

// ErrDiverged: values of an iteration are NaN or infinite.
var ErrDiverged = link.ErrDiverged

// Implicit returns the iteration of this model with another one, which calls it with the name of this one. Exactly one of both leads:
// it adds the fields that are iterated, and chooses measures and acceleration. Every rank of both models calls it before Seal and
// Open. Fails with ErrModel. Local. Does not block.
func (m *Model) Implicit(other string, leads bool) (*Implicit, error) {
	core, err := m.core.Implicit(other, leads)
	if err != nil {
		return nil, err
	}
	return &Implicit{core}, nil
}

// Add adds a field of the leading model that is iterated: the values of this rank, which may be none. In each iteration the model sends
// them, or what they stand for, and the iteration ends with new values in the slice. All ranks of the model add the same fields
// in the same order. Fails with ErrOptions in the other model, for a name that has been added, and after the first Begin.
// Local. Does not block.
func (i *Implicit) Add(name string, values []float64) error { return i.core.Add(name, values) }

// Measure adds a condition for the end of a step: the measure of a field that has been added is at most limit. All conditions
// have to hold. All ranks of the leading model pass the same. Fails with ErrOptions. Local. Does not block.
func (i *Implicit) Measure(name string, m Measure, limit float64) error {
	return i.core.Measure(name, m, limit)
}

// Accelerate chooses how the next values are computed. Without it that is IQNILS with a relaxation of 0.5, without columns of
// earlier steps. All ranks of the leading model pass the same. Fails with ErrOptions. Local. Does not block.
func (i *Implicit) Accelerate(a Acceleration) error {
	return i.core.Accelerate(a.Method, a.Relaxation, a.Reuse, a.Columns)
}

// Limit bounds the iterations of a step: after most of them the step is over without convergence. 0 means no bound, as without Limit.
// All ranks of the leading model pass the same. Fails with ErrOptions. Local. Does not block.
func (i *Implicit) Limit(most int) error { return i.core.Limit(most) }

// Keep adds values of the program with which each iteration of a step begins: Begin saves them, and Iterate restores them before
// the step is repeated. Fails with ErrOptions within a step. Local. Does not block.
func Keep[T Value](i *Implicit, values []T) error {
	var one T
	return i.core.Keep(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(one))))
}

// Begin begins a step. The fields of the leading model have the values of the first iteration. Fails with ErrOptions within a step, and
// without a field or a measure, and in the first step as Group.Wait does. In the first step it waits for all ranks of both models, and
// in others for none. If ctx ends before, it returns the error of ctx, and the links continue to open: call it again, or Close.
// Collective for the ranks of both models. Blocks in the first step until all have called it.
func (i *Implicit) Begin(ctx context.Context) error { return i.core.Begin(ctx) }

// Round returns the number that Send and Receive of links between the models get as their step in the present iteration. It counts
// iterations over all steps. Local. Does not block.
func (i *Implicit) Round() int { return int(i.core.Round()) }

// Iterate ends an iteration. If it returns true, the step is repeated: the fields of the leading model have the next values, and what
// Keep has added is as in Begin. If it returns false, the step is over, and the fields have the values that the last iteration has
// computed. Fails with ErrDiverged on all ranks of both models, with ErrOptions before Begin, and as Send and Receive do. If ctx ends
// before, it returns the error of ctx, and fields and kept values are as before: leave them so, and call it again. After another error
// the iteration can only be closed. Collective for the ranks of both models. Blocks until all ranks of the leading model have called it.
func (i *Implicit) Iterate(ctx context.Context) (again bool, err error) { return i.core.Iterate(ctx) }

// Last returns how the last step has ended: after how many iterations, and whether the measures are within their limits. Local. Does not
// block.
func (i *Implicit) Last() StepIterations { return i.core.Last() }

// Close closes the links of the iteration. Finalize and Reset close them, too. Local. Does not block, apart from the transfer of
// messages.
func (i *Implicit) Close(ctx context.Context) error { return i.core.Close(ctx) }
