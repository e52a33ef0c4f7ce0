package link

import (
	"errors"
	"fmt"
	"os"

	"github.com/goacp/goacp/internal/system/couple/matrixmarket"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// fileWeights is the part of a file with weights that one rank keeps.
type fileWeights struct {
	own []Weight // the entries whose row, or column at a sender, is a point of the rank
	all int64    // how many entries the file has
}

// weightedByFile is weighted with the weights of a file. If the file cannot be read, no link can have the field.
func (f *Field) weightedByFile(file string, sd side.Side) *Field {
	w, err := f.readWeights(file, sd)
	if err != nil {
		return f.between(sd, nil, err)
	}
	b := f.weighted(w.own, sd)
	b.product.fileEntries, b.product.ownEntries = w.all, int64(len(w.own))
	return b
}

// readWeights reads the weights of a field that this rank has on a side. Each rank reads the whole file, and keeps its own entries.
// Fails with ErrWeights.
func (f *Field) readWeights(file string, sd side.Side) (fileWeights, error) {
	w, err := f.readEntries(file, sd)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = fmt.Errorf("%w: %w", ErrWeights, err)
		} else {
			err = fmt.Errorf("%w: %s: %w", ErrWeights, file, err)
		}
	}
	return w, err
}

func (f *Field) readEntries(file string, sd side.Side) (w fileWeights, err error) {
	text, err := os.Open(file)
	if err != nil {
		return w, err
	}
	defer text.Close()
	r := matrixmarket.NewReader(text)
	size, err := r.Size()
	if err != nil {
		return w, err
	}
	w.all = size.Entries
	own, masked := f.layouts[sd].Points.Index(), f.masked[sd].Index()
	err = r.Entries(func(row, column int64, value float64) error {
		entry := Weight{row, column, value}
		if point := entry.point(sd); own.Has(point) || masked.Has(point) {
			w.own = append(w.own, entry)
		}
		return nil
	})
	return w, err
}
