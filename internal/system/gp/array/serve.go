package array

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/fabric"
)

// records returns the records of this process of an array, or false if there is no such array.
func (s *System) records(number int) (records, bool) {
	a := s.Find(number)
	if a == nil {
		return records{}, false
	}
	p := a.placed.Load()
	if p == nil {
		return records{}, false
	}
	return p.recs, true
}

// answer answers with a status alone.
func answer(reply []byte, s status) (int, error) {
	if len(reply) < statusSize {
		return 0, errMalformed
	}
	binary.LittleEndian.PutUint32(reply, uint32(s))
	return statusSize, nil
}

// load returns the records of places of this process. Fails if it does not have all of them.
func (s *System) load(recs records, p places) ([]pair, error) {
	if err := p.check(len(recs.all)); err != nil {
		return nil, err
	}
	pairs := make([]pair, p.n)
	for _, r := range p.runs {
		if err := recs.loadAll(r.Index, pairs[r.Entry:r.Entry+r.N], s.mem.Alive); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

// serveCollect replies with the records of places, and with the first bytes of their elements if
// the request asks for them.
func (s *System) serveCollect(r fabric.Request) (int, error) {
	p, rest, err := decodePlaces(r.Body)
	if err != nil {
		return 0, err
	}
	w, err := decodeWanted(p, rest)
	if err != nil || len(r.Reply) < collectionSize(p.n, w) {
		return 0, errMalformed
	}
	recs, ok := s.records(p.array)
	if !ok {
		return answer(r.Reply, unknown)
	}
	pairs, err := s.load(recs, p)
	if err != nil {
		return 0, err
	}
	n, err := answer(r.Reply, done)
	if err != nil {
		return 0, err
	}
	b := r.Reply[:n]
	for _, p := range pairs {
		b = binary.LittleEndian.AppendUint64(b, p.at)
		b = binary.LittleEndian.AppendUint64(b, p.size)
	}
	own := s.mem.Own()
	inline(pairs, w, func(i int, size uint64) {
		mem, failed := own.Bytes(pairs[i].at, size)
		if failed != nil {
			err = failed
		}
		b = append(b, mem...)
	})
	return len(b), err
}

// serveDeposit copies bytes to elements, or refuses all if some do not fit.
func (s *System) serveDeposit(r fabric.Request) (int, error) {
	p, rest, err := decodePlaces(r.Body)
	if err != nil {
		return 0, err
	}
	lengths, data, err := decodeLengths(rest, p.n)
	if err != nil || len(r.Reply) < refusal {
		return 0, errMalformed
	}
	recs, ok := s.records(p.array)
	if !ok {
		return answer(r.Reply, unknown)
	}
	pairs, err := s.load(recs, p)
	if err != nil {
		return 0, err
	}
	for i, n := range lengths {
		if have := pairs[i].size; !fits(n, have, p.flag) {
			binary.LittleEndian.PutUint32(r.Reply, uint32(refused))
			binary.LittleEndian.PutUint32(r.Reply[4:], uint32(i))
			binary.LittleEndian.PutUint64(r.Reply[8:], have)
			return refusal, nil
		}
	}
	own := s.mem.Own()
	for i, n := range lengths {
		if n == 0 {
			continue
		}
		mem, err := own.Bytes(pairs[i].at, n)
		if err != nil {
			return 0, err
		}
		data = data[copy(mem, data):]
	}
	return answer(r.Reply, done)
}

// serveRead answers with the bytes at addresses of this process.
func (s *System) serveRead(r fabric.Request) (int, error) {
	spans, rest, err := decodeSpans(r.Body)
	if err != nil || len(rest) > 0 {
		return 0, errMalformed
	}
	own, b := s.mem.Own(), r.Reply[:0]
	for _, sp := range spans {
		mem, err := own.Bytes(sp.at, sp.n)
		if err != nil {
			return 0, err
		}
		if len(mem) > len(r.Reply)-len(b) {
			return 0, errMalformed
		}
		b = append(b, mem...)
	}
	return len(b), nil
}

// serveWrite copies bytes to addresses of this process.
func (s *System) serveWrite(r fabric.Request) (int, error) {
	spans, data, err := decodeSpans(r.Body)
	if err != nil {
		return 0, err
	}
	total := uint64(0)
	for _, sp := range spans {
		total += sp.n
	}
	if total != uint64(len(data)) {
		return 0, errMalformed
	}
	own := s.mem.Own()
	for _, sp := range spans {
		mem, err := own.Bytes(sp.at, sp.n)
		if err != nil {
			return 0, err
		}
		data = data[copy(mem, data):]
	}
	return 0, nil
}
