package main

import (
	"fmt"

	"github.com/goacp/goacp/acp"
)

// pieceSize is the most bytes of a piece of text.
const pieceSize = 2048

// send sends the text to the others, a piece to each in turn.
func send(p *acp.Process, text []byte) error {
	to, err := open(p)
	if err != nil {
		return err
	}
	for i := 0; len(text) > 0; i++ {
		var piece []byte
		piece, text = cut(text, pieceSize)
		if err := to[i%len(to)].Send(piece); err != nil {
			return err
		}
	}
	for _, s := range to {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// open makes the sending end of a channel to each other rank.
func open(p *acp.Process) ([]*acp.Sender[[]byte], error) {
	var to []*acp.Sender[[]byte]
	for r := 1; r < p.Procs(); r++ {
		s, err := acp.NewSender[[]byte](p, acp.Rank(r))
		if err != nil {
			return nil, err
		}
		to = append(to, s)
	}
	return to, nil
}

// count counts the words of the pieces that arrive, until rank 0 closes its end.
func count(p *acp.Process, counts *acp.Multiset[string]) error {
	from, err := acp.NewReceiver[[]byte](p, 0, acp.ChannelOptions{BufferSize: 64 << 10})
	if err != nil {
		return err
	}
	found := 0
	for piece := range from.All() {
		err := words(piece, func(word string) error {
			found++
			_, err := counts.Insert(word, 1)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := from.Err(); err != nil {
		return err
	}
	fmt.Printf("rank %d: %d words\n", p.Rank(), found)
	return from.Close()
}
