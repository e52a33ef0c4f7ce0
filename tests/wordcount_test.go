package tests

import (
	"testing"
)

// TestWordcount lets two jobs count the words of a text, on one host and on two. The program checks
// the counts.
func TestWordcount(t *testing.T) {
	program := suite.GoExample(t, "wordcount")
	input := jobs(job{"acprun", 2, program + " -repeat 10 -top 2"}, job{"acprun", 3, program})
	want := []string{
		`rank 1: \d+ words$`, `rank 2: \d+ words$`, `rank 3: \d+ words$`, `rank 4: \d+ words$`,
		`4920 words, 153 different, by 5 ranks, the same as by one$`, ` +770 the$`, ` +170 and$`,
	}
	t.Run("one host", func(t *testing.T) {
		lines(t, suite.Sandbox(t).MustRead(input, "macprun"), want...)
	})
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		lines(t, sandbox.MustRead(input, "macprun", "-nodefile", sandbox.Nodefile(0, 1, 0, 1, 1)), want...)
	})
}
