package thread

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
)

func TestInfoComesBack(t *testing.T) {
	for _, i := range []Info{{}, {ID: 1, Cores: 128, Memory: 32 << 30, State: Close, Host: "a"}, {Host: strings.Repeat("h", MaxHost)}} {
		b := encodeInfo(i)
		in := reader{b: b}
		if got := in.info(); got != i || in.end() != nil || len(b) != infoBytes {
			t.Errorf("%+v came back as %+v", i, got)
		}
	}
	long := reader{b: encodeInfo(Info{Host: strings.Repeat("h", 1000)})}
	if got := long.info(); len(got.Host) != MaxHost {
		t.Errorf("a long name has %d bytes", len(got.Host))
	}
}

func TestAnswers(t *testing.T) {
	reply := make([]byte, 64)
	n, err := either(reply, []byte("abc"), nil)
	if got, failed := decodeAnswer(reply[:n]); err != nil || failed != nil || !reflect.DeepEqual(got, []byte("abc")) {
		t.Errorf("%q, %v, %v", got, err, failed)
	}
	n, err = either(reply, nil, errors.New("no"))
	if _, failed := decodeAnswer(reply[:n]); err != nil || failed == nil || failed.Error() != "no" {
		t.Errorf("%v, %v", err, failed)
	}
	for _, b := range [][]byte{nil, {answerRefused}, {7, 1}} {
		if _, err := decodeAnswer(b); !errors.Is(err, am.ErrMalformed) {
			t.Errorf("%v: %v", b, err)
		}
	}
	if _, err := done(make([]byte, 2), []byte("abc")); !errors.Is(err, am.ErrMalformed) {
		t.Errorf("an answer without room: %v", err)
	}
}

// never is a Deferrer whose requests are not answered.
type never struct{}

func (never) Defer() fabric.Completion { return never{} }
func (never) Complete(uint64, error)   {}

// FuzzServeThread: messages that no process sends change no thread of a process that has none.
func FuzzServeThread(f *testing.F) {
	f.Add(uint8(opWake), make([]byte, wakeHead), uint16(refusalRoom))
	f.Add(uint8(opJoin), make([]byte, 4), uint16(refusalRoom))
	f.Add(uint8(opDetach), make([]byte, 4), uint16(0))
	f.Add(uint8(opRun), []byte{}, uint16(9))
	f.Add(uint8(opCancel), []byte{1}, uint16(9))
	f.Fuzz(func(t *testing.T, op uint8, body []byte, room uint16) {
		serve := map[uint8]func(*System, fabric.Request) (int, error){
			opJoin: (*System).serveJoin, opDetach: (*System).serveDetach, opWake: (*System).serveWake,
			opRun: (*System).serveRun, opCancel: (*System).serveCancel, opAdmit: (*System).serveAdmit, opSignal: (*System).serveSignal,
		}[op]
		if serve == nil {
			return
		}
		s := newSystem(&extension.Process{Ranks: ga.NewRanks(2, 0)})
		n, err := serve(s, fabric.Request{Body: body, Reply: make([]byte, room), Later: never{}})
		if n > int(room) || err == nil && n == 0 {
			t.Errorf("operation %d, %d bytes with room for %d: %d, %v", op, len(body), room, n, err)
		}
		if len(s.threads) != 0 {
			t.Errorf("%d threads", len(s.threads))
		}
	})
}
