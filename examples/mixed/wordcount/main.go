// Wordcount counts the words of a text by all ranks of all jobs. Rank 0 reads the text and
// sends it in pieces through channels; the others count the words of the pieces they get in
// one multiset, which is distributed over all ranks. At the end rank 0 compares that with
// what it counts alone, and prints the most frequent words.
//
//	acpgo -o wordcount_go ./wordcount
//	macprun wordcount/wordcount.inputfile
//
// The text is the files it is given, otherwise text.txt, repeatedly.
package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/goacp/goacp/acp"
)

//go:embed text.txt
var story []byte

func main() {
	repeat := flag.Int("repeat", 20, "how often the text is counted")
	top := flag.Int("top", 5, "how many words are printed")
	flag.Parse()
	p, err := acp.Init(context.Background())
	if err == nil {
		if err = run(p, *repeat, *top, flag.Args()); err != nil {
			p.Abort(err.Error())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wordcount:", err)
		os.Exit(1)
	}
}

func run(p *acp.Process, repeat, top int, files []string) error {
	if p.Procs() < 2 {
		return errors.New("it takes two ranks or more")
	}
	counts, err := share(p)
	if err != nil {
		return err
	}
	var text []byte
	if p.Rank() == 0 {
		if text, err = read(files, repeat); err == nil {
			err = send(p, text)
		}
	} else {
		err = count(p, counts)
	}
	if err == nil {
		err = p.Sync() // everything is counted
	}
	if err == nil && p.Rank() == 0 {
		err = check(p, counts, text, top)
	}
	if err != nil {
		return err
	}
	return p.Finalize()
}

// share makes the multiset, of which rank 0 tells the others in their starter memory.
func share(p *acp.Process) (*acp.Multiset[string], error) {
	if p.Rank() == 0 {
		if err := create(p); err != nil {
			return nil, err
		}
	}
	if err := p.Sync(); err != nil {
		return nil, err
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(p.Starter()[8*i:]) }
	return acp.MultisetAt[string](p, acp.TableAddress{GA: acp.GA(word(0)), Ranks: word(1), Slots: word(2)})
}

func create(p *acp.Process) error {
	ranks := make([]acp.Rank, p.Procs())
	for i := range ranks {
		ranks[i] = acp.Rank(i)
	}
	m, err := acp.NewMultiset[string](p, ranks, 500, 0)
	if err != nil {
		return err
	}
	a := m.Address()
	for i, v := range []uint64{uint64(a.GA), a.Ranks, a.Slots} {
		binary.NativeEndian.PutUint64(p.Starter()[8*i:], v)
	}
	mine, err := p.StarterGA(0)
	if err != nil {
		return err
	}
	for _, r := range ranks[1:] {
		there, err := p.StarterGA(r)
		if err == nil {
			_, err = p.Copy(there, mine, 24, acp.HandleNull)
		}
		if err != nil {
			return err
		}
	}
	return p.Complete(acp.HandleAll)
}

// read returns the text.
func read(files []string, repeat int) ([]byte, error) {
	text := story
	if len(files) > 0 {
		text = nil
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text = append(append(text, b...), '\n')
	}
	return slices.Repeat(text, repeat), nil
}
