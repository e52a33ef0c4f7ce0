package main

import (
	"os"
	"path/filepath"

	"github.com/goacp/goacp/wrappers/toolchain"
)

// linksFixed reports whether all compilers of d link a program with [toolchain.FixedOption].
func (p *prober) linksFixed(d *toolchain.Data) bool {
	tries := []struct {
		compiler     []string
		source, text string
	}{
		{d.CC, "fixed.c", "int main(void) { return 0; }\n"},
		{d.CXX, "fixed.cc", "int main() { return 0; }\n"},
		{d.FC, "fixed.f90", "end program\n"},
	}
	for _, m := range d.MPI {
		for i, path := range []string{m.MPICC, m.MPICXX, m.MPIFC} {
			if path != "" {
				t := tries[i]
				t.compiler = []string{path}
				tries = append(tries, t)
			}
		}
	}
	for _, t := range tries {
		if len(t.compiler) == 0 {
			continue
		}
		source := filepath.Join(p.scratch, t.source)
		err := os.WriteFile(source, []byte(t.text), 0o600)
		if err == nil {
			args := append(t.compiler[1:len(t.compiler):len(t.compiler)], toolchain.FixedOption, source, "-o", filepath.Join(p.scratch, "fixed"))
			_, err = p.run(t.compiler[0], args...)
		}
		if err != nil {
			p.log("%s: not for %s: programs with the static library start more slowly: %v", toolchain.FixedOption, t.compiler[0], err)
			return false
		}
	}
	return true
}
