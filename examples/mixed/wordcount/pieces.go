package main

import (
	"fmt"

	"github.com/goacp/goacp/acp"
)

// pieceSize is the most bytes of a piece of text.
const pieceSize = 2048

// send sends the text to the others, a piece to each in turn. An empty message ends it.
func send(p *acp.Process, text []byte) error {
	to, err := open(p)
	if err != nil {
		return err
	}
	var sent []*acp.Request
	give := func(c *acp.Channel, piece []byte) error {
		r, err := c.Send(piece)
		sent = append(sent, r)
		return err
	}
	for i := 0; len(text) > 0; i++ {
		var piece []byte
		piece, text = cut(text, pieceSize)
		if err := give(to[i%len(to)], piece); err != nil {
			return err
		}
	}
	for _, c := range to {
		if err := give(c, nil); err != nil {
			return err
		}
	}
	for _, r := range sent {
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	for _, c := range to {
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// open makes a channel to each other rank.
func open(p *acp.Process) ([]*acp.Channel, error) {
	var to []*acp.Channel
	for r := 1; r < p.Procs(); r++ {
		c, err := p.NewChannel(p.Rank(), acp.Rank(r), acp.ChannelOptions{})
		if err != nil {
			return nil, err
		}
		to = append(to, c)
	}
	return to, nil
}

// count counts the words of the pieces that arrive.
func count(p *acp.Process, counts *acp.Multiset[string]) error {
	from, err := p.NewChannel(0, p.Rank(), acp.ChannelOptions{})
	if err != nil {
		return err
	}
	piece := make([]byte, pieceSize)
	found := 0
	for {
		r, err := from.Recv(piece)
		if err != nil {
			return err
		}
		n, err := r.Wait()
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		err = words(piece[:n], func(word string) error {
			found++
			_, err := counts.Insert(word, 1)
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("rank %d: %d words\n", p.Rank(), found)
	return from.Close()
}
