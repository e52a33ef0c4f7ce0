package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/bridge"
)

func TestSizes(t *testing.T) {
	for largest, want := range map[int][]int{1: {1}, 1024: {1024}, 1025: {1024, 1025}, 1 << 20: {1024, 16384, 131072, 1 << 20}} {
		if got := sizes(largest); !slices.Equal(got, want) {
			t.Errorf("%d: %v, expected %v", largest, got, want)
		}
	}
}

func TestBytesText(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0 B", 200.2: "200 B", 999.4: "999 B", 999.5: "1.00 kB", 9994: "9.99 kB", 9995: "10.0 kB", 99950: "100 kB", 999.5e3: "1.00 MB",
		2.2e14: "220 TB", 3e18: "3000 PB",
	} {
		if got := bytesText(v); got != want {
			t.Errorf("%g: %q, expected %q", v, got, want)
		}
	}
}

func TestGrowth(t *testing.T) {
	all := []figures{{shape: shape{ranks: 1000}}, {shape: shape{ranks: 10000}}, {shape: shape{ranks: 80000}}}
	for want, values := range map[string][2]float64{
		"nothing": {11, 11}, "log of ranks": {10, 13}, "ranks": {2.4e6, 19.3e6}, "ranks²": {3e12, 192e12}, "": {0, 5},
	} {
		value := func(f *figures) float64 {
			if f == &all[1] {
				return values[0]
			}
			return values[1]
		}
		if got := growth(all, value); got != want {
			t.Errorf("%v: %q, expected %q", values, got, want)
		}
		if got := growth(all[2:], value); got != "" {
			t.Errorf("one run: %q", got)
		}
	}
}

func TestTable(t *testing.T) {
	all := []figures{
		{shape: shape{ranks: 1024, perHost: 128}, member: bridge.Flow{Messages: 11, Bytes: 204800}},
		{shape: shape{ranks: 2048, perHost: 128}, member: bridge.Flow{Messages: 11, Bytes: 409600}},
	}
	var text strings.Builder
	if err := writeTable(&text, all); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| ranks | 1024 | 2048 | grows with |", "| --- | --- | --- | --- |", "| hosts | 8 | 16 | ranks |",
		"| a rank and the rendezvous send each other | 205 kB | 410 kB | ranks |", "| the same for each rank of the run | 200 B | 200 B | nothing |",
	} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, &text)
		}
	}
}
