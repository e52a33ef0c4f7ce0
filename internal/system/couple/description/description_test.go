package description

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

func TestParse(t *testing.T) {
	got, err := Parse(" ocean.sst:atmosphere.surface,every=10\tocean.sst:viewer.picture,watch,every=3\n a.b:c.d,send-every=2,levels=4 e.f:g.h " +
		"i.j:k.l,weights=/a%20folder/50%25%2Cx=1:%C3%A4.mtx,weights-at=sender m.n:o.p,watch,weights-at=receiver,weights=w.mtx q.r:s.t,same-numbers u.v:w.x,watch,same-numbers=true y.z:a.b,same-numbers=false " +
		"r.a:r.b,record=/x%2Cy/sst,record-every=5,record-at=sender r.c:r.d,record=z,record-at=receiver " +
		"a.f:b.g,reduce=average,lag=3,initial=x%2Cy.bin,interpolate,factor=0.5,offset=-273.15,conserve=add a.h:b.h,reduce=last,lag=0,interpolate=false,conserve=none,factor=1e3")
	want := []Link{
		{From: "ocean.sst", To: "atmosphere.surface", SendEvery: 10, ReceiveEvery: 10},
		{From: "ocean.sst", To: "viewer.picture", SendEvery: 3, ReceiveEvery: 3, Watch: true},
		{From: "a.b", To: "c.d", SendEvery: 2, Levels: 4},
		{From: "e.f", To: "g.h"},
		{From: "i.j", To: "k.l", Weights: "/a folder/50%,x=1:ä.mtx", AtSender: true},
		{From: "m.n", To: "o.p", Weights: "w.mtx", Watch: true},
		{From: "q.r", To: "s.t", SameNumbers: true},
		{From: "u.v", To: "w.x", SameNumbers: true, Watch: true},
		{From: "y.z", To: "a.b"},
		{From: "r.a", To: "r.b", Record: Record{"/x,y/sst", 5, true}},
		{From: "r.c", To: "r.d", Record: Record{File: "z"}},
		{From: "a.f", To: "b.g", Time: Time{Reduction: timing.Average, Lag: 3, Initial: "x,y.bin", Interpolate: true, Factor: 0.5, Offset: -273.15, Conserve: conserve.Add}},
		{From: "a.h", To: "b.h", Time: Time{Factor: 1000}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v: %v", got, err)
	}
	for _, l := range want {
		if again, err := Parse(l.String()); err != nil || !reflect.DeepEqual(again, []Link{l}) {
			t.Errorf("%v became %+v: %v", l, again, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"ocean.sst":                       `from "ocean.sst" to ""`,
		"ocean:atmosphere.surface":        `from "ocean" to`,
		"a.b.c:d.e":                       "expected the name of a model",
		"a.b:c.d>e":                       "expected the name of a model",
		"a.b:c.d,every=0":                 `every is "0"; expected a number from 1 to`,
		"a.b:c.d,every":                   `every is ""`,
		"a.b:c.d,levels=70000":            "from 1 to 65536",
		"a.b:c.d,watch=yes":               `watch is "yes"; expected true or false`,
		"a.b:c.d,same-numbers=1":          `same-numbers is "1"; expected true or false`,
		"a.b:c.d,levles=2":                "unknown key levles; expected from, to",
		"a.b:c.d,watch,levels=2":          "neither levels nor",
		"a.b:c.d,watch,receive-every=2":   "neither levels nor",
		"a.b:c.d,weights":                 "weights has no name of a file",
		"a.b:c.d,weights=%zz":             "weights: invalid URL escape",
		"a.b:c.d,weights=x,weights-at=to": `weights-at is "to"; expected sender or receiver`,
		"a.b:c.d,weights-at=sender":       "from a.b to c.d: weights-at without weights",
		"a.b:c.d,reduce=median":           `reduce is "median"; expected last, sum, average, minimum, maximum`,
		"a.b:c.d,lag=-1":                  `lag is "-1"; expected a number from 0 to`,
		"a.b:c.d,lag":                     `lag is ""; expected a number from 0 to`,
		"a.b:c.d,initial":                 "initial has no name of a file",
		"a.b:c.d,initial=%zz":             "initial: invalid URL escape",
		"a.b:c.d,send-every=4,lag=262145": "from a.b to c.d: a lag of 262145 steps is 65537 messages; expected at most 65536",
		"a.b:c.d,initial=x":               "from a.b to c.d: initial without lag",
		"a.b:c.d,interpolate=1":           `interpolate is "1"; expected true or false`,
		"a.b:c.d,factor=0":                `factor is "0"; expected a finite number that is not 0`,
		"a.b:c.d,factor=inf":              `factor is "inf"; expected a finite number that is not 0`,
		"a.b:c.d,offset=warm":             `offset is "warm"; expected a finite number`,
		"a.b:c.d,conserve=yes":            `conserve is "yes"; expected none, add or multiply`,
		"a.b:c.d,record":                  "record has no name of a file",
		"a.b:c.d,record=%zz":              "record: invalid URL escape",
		"a.b:c.d,record-every=2":          "record-every or record-at without record",
		"a.b:c.d,record=x,record-every=0": `record-every is "0"; expected a number from 1 to`,
		"a.b:c.d,record=x,record-at=both": `record-at is "both"; expected sender or receiver`,
		"a.b:c.d,record=x,watch":          "what is watched is not recorded",
		"a.b:c.d,watch,lag=1":             "what is watched has no operations in time",
		"a.b:c.d a.b:e.f a.b:c.d,every=2": "the link from a.b to c.d is there twice",
	} {
		if _, err := Parse(text); !errors.Is(err, ErrLink) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestFindWeights: the name of a file is relative to a folder, and a file without a matrix is not a file with
// weights.
func TestFindWeights(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n")
	write("bad.mtx", "1 1 1\n")
	for _, name := range []string{"good.mtx", filepath.Join(folder, "good.mtx")} {
		l := Link{Weights: name}
		if err := l.FindWeights(folder); err != nil || l.Weights != filepath.Join(folder, "good.mtx") {
			t.Errorf("%s became %s: %v", name, l.Weights, err)
		}
	}
	for name, want := range map[string]string{
		"bad.mtx":    "bad.mtx: line 1: not in the Matrix Market format",
		"absent.mtx": "absent.mtx: no such file",
		".":          "is no file, but d",
	} {
		l := Link{Weights: name}
		if err := l.FindWeights(folder); !errors.Is(err, ErrLink) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	l := Link{Weights: "absent.mtx"}
	if err := l.FindWeights(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := new(Link).FindWeights(folder); err != nil {
		t.Errorf("a link without weights: %v", err)
	}
}

// TestFindInitial: the name of the file is relative to a folder, and there is a file.
func TestFindInitial(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "x.bin")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{"x.bin", name} {
		l := Link{Time: Time{Initial: given}}
		if err := l.FindInitial(folder); err != nil || l.Time.Initial != name {
			t.Errorf("%s became %s: %v", given, l.Time.Initial, err)
		}
	}
	for given, want := range map[string]string{"y.bin": "initial: stat", ".": "is no file, but d"} {
		l := Link{Time: Time{Initial: given}}
		if err := l.FindInitial(folder); !errors.Is(err, ErrLink) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", given, err, want)
		}
	}
	if err := new(Link).FindInitial(folder); err != nil {
		t.Errorf("a link without initial values: %v", err)
	}
}
