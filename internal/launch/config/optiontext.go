package config

import (
	"strings"

	"github.com/goacp/goacp/internal/ground/debuglog"
)

// OptionText describes an option of a launcher for manuals and for the completion of shells.
type OptionText struct {
	Spellings []string // with their dashes, without a value
	Value     string   // the name of the value; "" if the option has none
	Choices   []string // the values, if there are few
	List      bool     // the value may be several of Choices, with commas between
	File      bool     // the value is the name of a file
	Env, YAML string   // the variable and the key of descriptions that give the default; "" if none
	Help      string
}

// OptionTexts returns the options of p that -help-all shows, in the same order.
func OptionTexts(p Program) []OptionText {
	var texts []OptionText
	for _, s := range settings() {
		if s.programs&p == 0 || s.hidden {
			continue
		}
		text := OptionText{Value: s.value, Env: s.env, YAML: s.yaml, Help: s.help}
		for _, name := range s.short {
			text.Spellings = append(text.Spellings, "-"+name)
		}
		for _, name := range s.long {
			text.Spellings = append(text.Spellings, "--"+name)
		}
		switch s.kind {
		case kindNet:
			text.Choices = []string{"auto", "shm", "rma", "tcp"}
			if p == Dmimw {
				text.Choices = []string{"auto", "shm", "tcp"}
			}
		case kindRDMA:
			text.Choices = []string{"auto", "yes", "no"}
		case kindOnError:
			text.Choices = []string{"return", "report", "abort"}
		case kindLayers:
			text.Choices, text.List = append(strings.Split(debuglog.Names(), ", "), debuglog.All), true
		case kindText:
			text.File = s.value == "FILE" || s.value == "PATH"
		}
		texts = append(texts, text)
	}
	return texts
}
