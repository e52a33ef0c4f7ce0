package bridge

import (
	"strings"
	"testing"
)

func TestCheckJobName(t *testing.T) {
	for name, good := range map[string]bool{
		"ocean": true, "a": true, "Ocean_2-b.x+y": true, "-": true, strings.Repeat("j", MaxJobName): true,
		"": false, " ocean": false, "o/c": false, "océan": false, "a\tb": false, "a=b": false, "a#b": false,
		"a\xff": false, "a\x00": false, strings.Repeat("j", MaxJobName+1): false,
	} {
		err := CheckJobName(name)
		if (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "expected 1 to 63 letters, digits and characters of . _ + -") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestJobNameOf(t *testing.T) {
	for program, want := range map[string]string{
		"ocean": "ocean", "./bin/ocean": "ocean", "/opt/models/ocean.exe": "ocean.exe", "../g++": "g++",
		"": "job", "/": "_", "$PROGRAM": "_PROGRAM", "my model": "my_model", "océan": "oc_an", "a\xff": "a_",
		strings.Repeat("j", 100): strings.Repeat("j", MaxJobName),
	} {
		if got := JobNameOf(program); got != want {
			t.Errorf("%q: %q, want %q", program, got, want)
		}
	}
}

// FuzzJobNameOf: a job can have the name of any program.
func FuzzJobNameOf(f *testing.F) {
	f.Add("./ocean")
	f.Add("\xff\xfe/é ü#")
	f.Fuzz(func(t *testing.T, program string) {
		if err := CheckJobName(JobNameOf(program)); err != nil {
			t.Errorf("%q: %v", program, err)
		}
	})
}
