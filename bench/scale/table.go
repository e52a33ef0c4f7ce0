package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// row is one line of the table: a figure, and how it is written.
type row struct {
	name  string
	value func(f *figures) float64
	text  func(float64) string
}

var rows = []row{
	{"hosts", func(f *figures) float64 { return float64(f.shape.hosts()) }, count},
	{"kinds of ranks, each with one decision about a route", func(f *figures) float64 { return float64(f.kinds) }, count},
	{"memory of a process", func(f *figures) float64 { return float64(f.process) }, bytesText},
	{"the same for each rank of the run", func(f *figures) float64 { return f.perRank(f.process) }, bytesText},
	{"memory of the rendezvous, without sockets", func(f *figures) float64 { return float64(f.launcher) }, bytesText},
	{"processor time in which a process makes its tables", func(f *figures) float64 { return f.table.Seconds() }, secondsText},
	{"a rank and the rendezvous send each other", func(f *figures) float64 { return float64(f.member.Bytes) }, bytesText},
	{"the same for each rank of the run", func(f *figures) float64 { return f.perRank(f.member.Bytes) }, bytesText},
	{"messages of that; a rank that leads its host has no others", func(f *figures) float64 { return float64(f.member.Messages) }, count},
	{"messages of the rendezvous", func(f *figures) float64 { return float64(f.sent.Messages + f.received.Messages) }, count},
	{"the rendezvous receives", func(f *figures) float64 { return float64(f.received.Bytes) }, bytesText},
	{"the rendezvous sends", func(f *figures) float64 { return float64(f.sent.Bytes) }, bytesText},
	{"longest chain of messages at the start", func(f *figures) float64 { return float64(f.depth) }, count},
	{"groups of a barrier", func(f *figures) float64 { return float64(f.meeting.groups) }, count},
	{"messages of a leader in a barrier", func(f *figures) float64 { return float64(f.meeting.notes) }, count},
	{"longest chain in a barrier, two steps of it in memory", func(f *figures) float64 { return float64(f.meeting.depth) }, count},
}

// perRank divides a figure by the ranks of the run.
func (f *figures) perRank(total uint64) float64 { return float64(total) / float64(f.shape.ranks) }

// writeTable writes the figures of several runs, the smallest one first, in Markdown.
func writeTable(w io.Writer, all []figures) error {
	var t strings.Builder
	t.WriteString("| ranks |")
	for i := range all {
		fmt.Fprintf(&t, " %d |", all[i].shape.ranks)
	}
	t.WriteString(" grows with |\n| --- |" + strings.Repeat(" --- |", len(all)+1) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&t, "| %s |", r.name)
		for i := range all {
			fmt.Fprintf(&t, " %s |", r.text(r.value(&all[i])))
		}
		fmt.Fprintf(&t, " %s |\n", growth(all, r.value))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// growth says how a figure grows from the run before the largest to the largest one.
func growth(all []figures, value func(*figures) float64) string {
	if len(all) < 2 {
		return ""
	}
	a, b := &all[len(all)-2], &all[len(all)-1]
	ranks := math.Log(float64(b.shape.ranks) / float64(a.shape.ranks))
	switch power := math.Log(value(b)/value(a)) / ranks; {
	case math.IsNaN(power) || math.IsInf(power, 0):
		return ""
	case math.Abs(power) < 0.03:
		return "nothing"
	case power < 0.5:
		return "log of ranks"
	case power < 1.5:
		return "ranks"
	default:
		return "ranks²"
	}
}

func count(v float64) string { return fmt.Sprintf("%.0f", v) }

func secondsText(v float64) string { return fmt.Sprintf("%.1f s", v) }

// bytesText writes bytes with three digits, in decimal units.
func bytesText(v float64) string {
	units := [...]string{"B", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for ; v >= 999.5 && i < len(units)-1; i++ {
		v /= 1000
	}
	switch {
	case i == 0 || v >= 99.95:
		return fmt.Sprintf("%.0f %s", v, units[i])
	case v >= 9.995:
		return fmt.Sprintf("%.1f %s", v, units[i])
	}
	return fmt.Sprintf("%.2f %s", v, units[i])
}
