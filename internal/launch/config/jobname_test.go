package config

import (
	"slices"
	"testing"
)

// TestNamesInInputfile: a comment behind a command that begins with name= names the job. All other text
// behind a # is a comment.
func TestNamesInInputfile(t *testing.T) {
	text := `9
acprun #name=launcher
acprun
acprun
acprun
acprun
acprun
acprun
acprun
acprun
1 #name=size
1
1
1
1
1
1
1
1
# name=line
./a #name=ocean
./b # name=sea-2 the deep one
./c -x #	name=land	flat
./d # its name=other
./e #Name=upper
./f # #name=second
./g #names=many
#name=alone
./h
./i#name=close
`
	input, err := ParseInputfile("in", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, job := range input.Jobs {
		names = append(names, job.Name)
	}
	if want := []string{"ocean", "sea-2", "land", "", "", "", "", "", "close"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	if job := input.Jobs[2]; job.Command != "./c -x" || job.NameLine != 23 {
		t.Errorf("%+v", job)
	}
}

// FuzzNameInComment: the name has no blanks, and is found only behind name=.
func FuzzNameInComment(f *testing.F) {
	for _, comment := range []string{"name=ocean", " name=a b", "name=", "\u00a0name=x\u00a0y", "names=x", "name=\xff"} {
		f.Add(comment)
	}
	f.Fuzz(func(t *testing.T, comment string) {
		name, given := valueInComment(comment, "name=")
		if given {
			if again, ok := valueInComment("name="+name, "name="); !ok || again != name {
				t.Errorf("%q gives %q, and that %q", comment, name, again)
			}
		}
	})
}
