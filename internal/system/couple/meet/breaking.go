package meet

// Break ends the shard of a link that cannot be opened. The members that fetch its findings get the reason, those that wait and later
// ones.
func (s *Shards) Break(id uint64, why string) (answers []Answer) {
	of := s.Of(id)
	if of == nil {
		return nil // all requests fail already
	}
	of.broken = problem(ErrPartner, "%s", why)
	for _, w := range of.waiting {
		answers = append(answers, of.refuse(w.ticket))
	}
	of.waiting = nil
	return answers
}

// refuse answers a request for a finding of a broken shard.
func (s *Shard) refuse(t Ticket) Answer {
	p := Part{Outcome: s.broken}
	return Answer{To: t, Body: p.Encode()}
}

// End ends the shard of a link whose ranks all know whether it is opened.
func (s *Shards) End(id uint64) { delete(s.byID, id) }
