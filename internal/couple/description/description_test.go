package description

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse(" ocean.sst:atmosphere.surface,every=10\tocean.sst:viewer.picture,watch,every=3\n a.b:c.d,send-every=2,levels=4 e.f:g.h ")
	want := []Link{
		{From: "ocean.sst", To: "atmosphere.surface", SendEvery: 10, ReceiveEvery: 10},
		{From: "ocean.sst", To: "viewer.picture", SendEvery: 3, ReceiveEvery: 3, Watch: true},
		{From: "a.b", To: "c.d", SendEvery: 2, Levels: 4},
		{From: "e.f", To: "g.h"},
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
	for text, says := range map[string]string{
		"ocean.sst":                       `from "ocean.sst" to ""`,
		"ocean:atmosphere.surface":        `from "ocean" to`,
		"a.b.c:d.e":                       "expected the name of a model",
		"a.b:c.d>e":                       "expected the name of a model",
		"a.b:c.d,every=0":                 `every is "0"; expected a number from 1 to`,
		"a.b:c.d,every":                   `every is ""`,
		"a.b:c.d,levels=70000":            "from 1 to 65536",
		"a.b:c.d,watch=yes":               `watch is "yes"; expected true or false`,
		"a.b:c.d,levles=2":                "unknown key levles; expected from, to",
		"a.b:c.d,watch,levels=2":          "neither levels nor",
		"a.b:c.d,watch,receive-every=2":   "neither levels nor",
		"a.b:c.d a.b:e.f a.b:c.d,every=2": "the link from a.b to c.d is there twice",
	} {
		if _, err := Parse(text); !errors.Is(err, ErrLink) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
}
