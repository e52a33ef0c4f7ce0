package tests

import (
	"fmt"
	"maps"
	"regexp"
	"testing"
)

// armciNowhere are the ways in which a program passes an own address without memory, and the function
// that the line about it names. With ARMCI_ERRORS=return functions with a result return -1.
var armciNowhere = []struct {
	way, function string
	void          bool
}{
	{way: "put1", function: "ARMCI_Put"}, {way: "put8", function: "ARMCI_Put"}, {way: "put", function: "ARMCI_Put"}, {way: "putlong", function: "ARMCI_Put"},
	{way: "get1", function: "ARMCI_Get"}, {way: "get8", function: "ARMCI_Get"}, {way: "get", function: "ARMCI_Get"}, {way: "getlong", function: "ARMCI_Get"},
	{way: "low", function: "ARMCI_Get"}, {way: "lowput", function: "ARMCI_Put"},
	{way: "puts", function: "ARMCI_PutS"}, {way: "gets", function: "ARMCI_GetS"}, {way: "acc", function: "ARMCI_Acc"}, {way: "accs", function: "ARMCI_AccS"},
	{way: "putv", function: "ARMCI_PutV"}, {way: "getv", function: "ARMCI_GetV"}, {way: "accv", function: "ARMCI_AccV"}, {way: "longv", function: "ARMCI_PutV"},
	{way: "nbget", function: "ARMCI_(NbGet|Wait)"}, {way: "nbgetlong", function: "ARMCI_(NbGet|Wait)"}, {way: "nbput", function: "ARMCI_NbPut"}, {way: "nbputlong", function: "ARMCI_(NbPut|Wait)"},
	{way: "implicit", function: "ARMCI_WaitAll"},
	{way: "send", function: "armci_msg_snd", void: true}, {way: "sendlong", function: "armci_msg_(snd|rcv)", void: true},
	{way: "receive", function: "armci_msg_rcv", void: true}, {way: "receivelong", function: "armci_msg_rcv", void: true},
}

// TestARMCINowhere: if the memory of the caller does not exist, a call over sockets fails with a line
// about it, as with any other wrong address. The process does not end with a trace.
func TestARMCINowhere(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/nowhere", "-larmci")
	for _, c := range armciNowhere {
		t.Run(c.way, func(t *testing.T) {
			t.Parallel() // most of the time goes by while launchers wait
			line := regexp.MustCompile(`(?m)^(.*: )?armci: ` + c.function + `\(.*\) by process [01]: .*(no memory at address|was unregistered or unmapped)`)
			trace := regexp.MustCompile(`goroutine|internal error|SIGSEGV|signal`)
			r := suite.Sandbox(t).Run("", "acprun", "-np", "2", "-net", "tcp", program, c.way)
			if r.Status != 1 || !line.MatchString(r.Stderr) || trace.MatchString(r.Stderr) {
				t.Errorf("expected status 1 and a line that matches %v:\n%v", line, r)
			}
		})
	}
	t.Run("returned", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Env = append(sandbox.Env, "ARMCI_ERRORS=return")
		run, want := []string{"acprun", "-np", "2", "-net", "tcp", program}, make(map[string]int)
		for _, c := range armciNowhere {
			if !c.void {
				run = append(run, c.way)
				want[fmt.Sprintf("%s -1", c.way)] = 2
			}
		}
		if got := countLines(sandbox.Must(run...)); !maps.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}
