package config

import "testing"

// TestOptionTexts: the parser takes every spelling with every value that manuals and completions offer.
func TestOptionTexts(t *testing.T) {
	for _, p := range []Program{Acprun, Macprun} {
		for _, text := range OptionTexts(p) {
			values := text.Choices
			if text.Value == "" {
				values = []string{""}
			}
			for _, spelling := range text.Spellings {
				for _, value := range values {
					args := []string{spelling}
					if value != "" {
						args = append(args, value)
					}
					if _, err := ParseOptions(p, append(args, "program")); err != nil {
						t.Errorf("%v %q: %v", p, args, err)
					}
				}
			}
		}
	}
}
