package couple

import (
	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// Model is a program that takes part in coupling. It belongs to one rank of the program.
type Model struct{ core *link.Model }

// NewModel returns the model that consists of some ranks, in this order, or of all ranks of the job of
// this process if ranks is nil. If name is empty, the model has the name of the job. Every rank of the model
// calls NewModel with the same name and list. A rank may be in several models. A name has 1 to 200 bytes, and
// no full stop or > among them. Fails with ErrModel. Local. Does not block.
func NewModel(p *acp.Process, name string, ranks []acp.Rank) (*Model, error) {
	s := link.Of(p)
	numbers := make([]int, len(ranks))
	for i, rank := range ranks {
		numbers[i] = int(rank)
	}
	if ranks == nil {
		numbers = s.Ranks()
	}
	if name == "" {
		name = s.JobName()
	}
	m, err := s.NewModel(name, numbers)
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

// Seal ends the declaration of fields. From now on NewField fails with ErrModel, and links of other models to
// fields that this model does not have fail with ErrField. Without Seal such links wait until a rank of this model
// ends. Each rank of the model calls Seal, after its last NewField. Local. Does not block.
func (m *Model) Seal() { m.core.Seal() }

// Name returns the name of the model. Local. Does not block.
func (m *Model) Name() string { return m.core.Name() }
