package tests

import (
	"os"
	"strings"
	"testing"
)

// TestCppExample runs the ocean and the air in C++.
func TestCppExample(t *testing.T) {
	text, err := os.ReadFile(suite.Source("examples", "cpp", "coupled.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	commands := strings.NewReplacer("./ocean", suite.CxxAt(t, "examples/cpp/ocean"), "./air", suite.CxxAt(t, "examples/cpp/air"))
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			out := sandbox.Must("macprun", "-net", net, sandbox.Write("coupled.yaml", commands.Replace(string(text))))
			lines(t, out, `ocean, 2 ranks, and air, 2 ranks: 200 steps, heat 48000\.000 before and 48000\.000 after$`)
		})
	}
}

// TestCppChannelsWithGo: strings of any length and structs go from a sender of Go to a receiver of C++, and back.
func TestCppChannelsWithGo(t *testing.T) {
	echoed, echo := suite.Go(t, "echoed"), suite.CxxAt(t, "tests/programs/echo")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.MustRead(jobs(job{"acprun", 1, echoed}, job{"acprun", 1, echo}), "macprun", "-net", net, "-np", "2")
		})
	}
}

// TestCppEpochs: broadcast and maps leave out a rank that has left.
func TestCppEpochs(t *testing.T) {
	program := suite.CxxAt(t, "tests/programs/epochranks")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			out := suite.Sandbox(t).Must("acprun", "-net", net, "-max", "3", "-np", "3", program)
			lines(t, out, "rank 0 of 3 is done$", "rank 2 of 3 is done$")
		})
	}
}
