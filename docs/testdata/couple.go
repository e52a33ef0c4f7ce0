// Package page declares the names that the code on docs/couple.md, docs/couple-time.md, docs/couple-inspect.md, docs/couple-implicit.md and docs/weights.md uses without declaring them.
package page

import (
	"context"
	"errors"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/weights"
)

var (
	ctx context.Context
	err error
	p   *acp.Process

	ocean, atmosphere    *couple.Model
	sst, stress, picture *couple.Field
	surface              *couple.Field

	ny, nx, y0, rows int
	n, steps         int
	cells            []int
	wet              []bool
	block            couple.Block
	temperature      []float64
	below            []float64
	pixels           []float64
	watts            []float64

	longitudes, latitudes []float64
	own                   []couple.Weight
	from, to              *weights.Grid
	points                []int
	in                    *couple.Receiver
	out                   *couple.Sender

	wall                  *couple.Model
	area, pressure, state []float64
)

var (
	_ = errors.Is
	_ unsafe.Pointer
	_ weights.Grid
)

func compute([]float64) {}

func draw(int, []float64) {}

func deform(area, pressure, state []float64) {}
