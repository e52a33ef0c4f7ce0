package plan

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
)

// specsOf returns jobs from texts such as "./ocean -n 5" or "./a#name=b".
func specsOf(texts []string) []config.JobSpec {
	var specs []config.JobSpec
	for _, text := range texts {
		command, name, _ := strings.Cut(text, "#name=")
		specs = append(specs, config.JobSpec{Command: command, Name: name})
	}
	return specs
}

func namesOf(jobs []config.JobSpec) []string {
	var names []string
	for _, job := range jobs {
		names = append(names, job.Name)
	}
	return names
}

func TestNameJobs(t *testing.T) {
	long := strings.Repeat("l", 100)
	for _, c := range []struct{ jobs, want []string }{
		{[]string{"./ocean -n 5", "bin/atmosphere > log"}, []string{"ocean", "atmosphere"}},
		{[]string{"./a", "./b", "./a"}, []string{"a-1", "b", "a-2"}},
		{[]string{"./a", "./a#name=first"}, []string{"a", "first"}},
		{[]string{"./a", "./b#name=a"}, []string{"a-1", "a"}},
		{[]string{"./a", "./a", "./c#name=a-1"}, []string{"a-2", "a-3", "a-1"}},
		{[]string{"./a", "./a-1", "./a"}, []string{"a-2", "a-1", "a-3"}},
		{[]string{"OMP_NUM_THREADS=2 './my model'"}, []string{"my_model"}},
		{[]string{"$PROGRAM", "\"\""}, []string{"_PROGRAM", "job"}},
		{[]string{long, long}, []string{long[:61] + "-1", long[:61] + "-2"}},
	} {
		specs := specsOf(c.jobs)
		if got := namesOf(nameJobs(specs)); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.jobs, got, c.want)
		}
		if !slices.EqualFunc(specs, specsOf(c.jobs), func(a, b config.JobSpec) bool { return a.Name == b.Name }) {
			t.Errorf("%q: the description has changed", c.jobs)
		}
	}
}

// TestNamesDiffer: for any names and programs in a description, all jobs have different names, and the names
// in the description stay.
func TestNamesDiffer(t *testing.T) {
	words := []string{"a", "a-1", "a-2", "a-1-1", "a-10", "b"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var specs []config.JobSpec
		given := make(map[string]bool)
		for range 1 + rnd.IntN(12) {
			spec := config.JobSpec{Command: words[rnd.IntN(len(words))]}
			if name := words[rnd.IntN(len(words))]; rnd.IntN(3) == 0 && !given[name] {
				spec.Name, given[name] = name, true
			}
			specs = append(specs, spec)
		}
		jobs, seen := nameJobs(specs), make(map[string]bool)
		for j, job := range jobs {
			if seen[job.Name] || bridge.CheckJobName(job.Name) != nil || specs[j].Name != "" && job.Name != specs[j].Name {
				t.Fatalf("%+v have the names %q", specs, namesOf(jobs))
			}
			seen[job.Name] = true
		}
	}
}
