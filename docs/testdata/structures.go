// Package page declares the names that the code on pages about structures and systems uses without declaring them.
package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/armci"
	"github.com/goacp/goacp/dmi"
	"github.com/goacp/goacp/gp"
)

type Task struct {
	Due  int
	Done bool
}

type Point struct{ X, Y int }

var (
	ctx context.Context
	p   *acp.Process
	err error

	owner         acp.Rank
	task          Task
	tasks         []Task
	names         []string
	points        []Point
	offset, other int64
	page, data    []byte
	n             int
	row, buf      []float64
	counter       armci.Memory[int64]
	l             *acp.List[Task]
	m             *acp.Map[string, Point]
)

var (
	_ = cmp.Compare[int]
	_ = errors.Is
	_ = fmt.Println
	_ = atomic.LoadUint64
	_ = gp.Sync
	_ = dmi.Main
)

func work(Task) {}

func serve(acp.Rank) {}
