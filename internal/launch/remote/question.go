package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/survey"
)

// questions are the questions about ranks that a proxy has not answered yet. The zero value has none. The
// methods may be called by several goroutines at once.
type questions struct {
	mu   sync.Mutex
	last uint32
	open map[uint32]chan survey.Reading
}

// add returns the number of a new question, and the channel of its answer.
func (q *questions) add() (number uint32, answer <-chan survey.Reading) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[uint32]chan survey.Reading{}
	}
	q.last++
	c := make(chan survey.Reading, 1)
	q.open[q.last] = c
	return q.last, c
}

// drop removes a question whose answer is no longer needed.
func (q *questions) drop(number uint32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, number)
}

// answered handles the answer of a proxy. An answer that comes too late, or to no question, is dropped.
func (q *questions) answered(f message.Frame) error {
	var r survey.Reading
	if err := json.Unmarshal(f.Payload, &r); err != nil {
		return fmt.Errorf("%w: %w", message.ErrFrame, err)
	}
	r.Clean()
	q.mu.Lock()
	defer q.mu.Unlock()
	if c := q.open[f.Number]; c != nil {
		delete(q.open, f.Number)
		c <- r
	}
	return nil
}

// Survey asks the proxies of all hosts for the states of their ranks that have not ended. Only the goroutine of the run calls it. The
// returned function waits for the answers, no longer than limit, and may be called on any goroutine. Survey itself does not block.
func (h *Hosts) Survey(limit time.Duration) (answers func() []survey.Reading) {
	return h.ask(message.FrameSurvey, limit)
}

// Count is like Survey. In addition, Transferred is called with the changed tables of a proxy's ranks before
// the proxy's answer arrives.
func (h *Hosts) Count(limit time.Duration) (answers func() []survey.Reading) {
	return h.ask(message.FrameCount, limit)
}

func (h *Hosts) ask(kind byte, limit time.Duration) (answers func() []survey.Reading) {
	type question struct {
		c      *client
		number uint32
		answer <-chan survey.Reading
	}
	var asked []question
	for _, c := range h.clients {
		if c.ranks != nil && len(c.ended) == len(c.ranks) {
			continue // its proxy has nothing to tell, and ends
		}
		q := question{c: c}
		q.number, q.answer = c.questions.add()
		c.send(message.Frame{Kind: kind, Number: q.number})
		asked = append(asked, q)
	}
	return func() (all []survey.Reading) {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		for _, q := range asked {
			reading := survey.Reading{Host: q.c.host}
			select {
			case r := <-q.answer:
				reading.Processes, reading.Problem = r.Processes, r.Problem
			case <-q.c.outputEnded:
				reading.Problem = "its proxy has ended"
			case <-ctx.Done():
				reading.Problem = fmt.Sprintf("no answer within %v", limit)
			}
			q.c.questions.drop(q.number)
			all = append(all, reading)
		}
		return all
	}
}
