package message

import "slices"

// SetEnvirons makes the ranks those of the job, with their environments. Environments are long and differ in few variables, so the
// job has only once what they share.
func (j *ProxyJob) SetEnvirons(ranks []int, environ func(rank int) []string) {
	var all [][]string
	ranksWith := map[string]int{} // how many ranks have an entry
	for _, rank := range ranks {
		env := environ(rank)
		all = append(all, env)
		seen := map[string]bool{}
		for _, entry := range env {
			if !seen[entry] {
				seen[entry] = true
				ranksWith[entry]++
			}
		}
	}
	shared := func(entry string) bool { return ranksWith[entry] == len(ranks) }
	j.Ranks, j.Env = nil, nil
	for i, rank := range ranks {
		if i == 0 {
			j.Env = slices.DeleteFunc(slices.Clone(all[i]), func(entry string) bool { return !shared(entry) })
		}
		j.Ranks = append(j.Ranks, RankSpec{Rank: rank, Env: slices.DeleteFunc(slices.Clone(all[i]), shared)})
	}
}

// Environ returns the environment of a rank of the job.
func (j *ProxyJob) Environ(spec RankSpec) []string { return slices.Concat(j.Env, spec.Env) }
