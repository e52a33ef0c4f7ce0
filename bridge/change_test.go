package bridge

import (
	"bytes"
	"reflect"
	"testing"
)

// someChanges are changes in a run of four seats.
var someChanges = []Change{
	{Kind: CohortArrived, Member: 1, Cohort: 7, Job: 9, World: 8, Size: 3, Contacts: [][]byte{[]byte("a"), {}, []byte("ccc")}},
	{Kind: CohortArrived, Member: 3, Cohort: 1, Size: 1},
	{Kind: MemberLeft, Member: 3},
	{Kind: MemberLost, Member: 2, Reason: "its host does not answer"},
	{Kind: MemberArrived, Member: 3, Job: 2, World: 1, Size: 1, Contacts: [][]byte{[]byte("contact")}},
	{Kind: EpochBegan, Epoch: 5, Members: []int{0, 2, 3}},
	{Kind: MemberAsked, Member: 2},
}

func TestChangeKeepsItsContent(t *testing.T) {
	for _, want := range someChanges {
		frame, err := changeFrame(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeChange(payloadOf(frame), 4); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v was read as %+v, %v", want, got, err)
		}
		if got, err := decodeChange(payloadOf(frame), 2); err == nil {
			t.Errorf("%+v was read in a run of 2 seats", got)
		}
	}
}

func FuzzChange(f *testing.F) {
	for _, c := range someChanges {
		frame, err := changeFrame(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payloadOf(frame), 4)
	}
	f.Fuzz(func(t *testing.T, b []byte, seats int) {
		if seats < 1 || seats > 1000 {
			return
		}
		c, err := decodeChange(b, seats)
		if err != nil {
			return
		}
		if c.Member >= seats || c.Contacts != nil && len(c.Contacts) != c.Size {
			t.Fatalf("%+v of %d seats", c, seats)
		}
		if again, err := changeFrame(c); err != nil || (c.Arrives() || c.Kind == EpochBegan) && !bytes.Equal(payloadOf(again), b) {
			t.Fatalf("%x was read from %x, %v", again, b, err)
		}
	})
}
