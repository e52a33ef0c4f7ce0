package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/wrappers/optiontext"
)

// TestOptionsAreDescribed: the wrappers take the options of package optiontext, with one dash and with two, and no others.
func TestOptionsAreDescribed(t *testing.T) {
	described := map[string]bool{}
	for _, tool := range tools {
		isGo := tool.lang == langGo
		for _, o := range optiontext.Options {
			has := slices.ContainsFunc(optiontext.For(tool.mpi, isGo), func(other optiontext.Option) bool { return other.Spellings[0] == o.Spellings[0] })
			for _, spelling := range o.Spellings {
				described[strings.TrimPrefix(spelling, "-")] = true
				for _, dash := range []string{"", "-"} {
					args := []string{dash + spelling}
					switch {
					case o.Joined:
						args = []string{"-mhook", dash + spelling + "=200"}
					case o.Choices != nil:
						args = append(args, o.Choices[0])
					case o.Value != "":
						args = append(args, "openmpi")
					}
					_, rest, err := tool.ownOptions(args)
					if taken := err == nil && len(rest) == 0; taken != has {
						t.Errorf("%s %q: taken %v, described %v: %v", tool.name, args, taken, has, err)
					}
				}
			}
		}
	}
	for name := range hookOptions {
		if !described[name] {
			t.Errorf("option -%s is not described", name)
		}
	}
	for _, form := range showForms {
		if !described["showme:"+form] {
			t.Errorf("option -showme:%s is not described", form)
		}
	}
	for name := range mpichForms {
		if !described[name] {
			t.Errorf("option -%s is not described", name)
		}
	}
}
