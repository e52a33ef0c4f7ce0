package main

import (
	"regexp"
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

// TestHelpIsOneScreen: option -help of each wrapper prints at most 20 lines, with options that it has, and says where the others are.
func TestHelpIsOneScreen(t *testing.T) {
	option := regexp.MustCompile(`(?m)(?:^  |, )(-[a-z:]+)`)
	for _, tool := range tools {
		o, rest, err := tool.ownOptions([]string{"-help"})
		if err != nil || len(rest) > 0 || o.showme != brief {
			t.Errorf("%s -help: form %q, rest %q, %v", tool.name, o.showme, rest, err)
		}
		text := tool.about(nil, o.showme)
		lines := strings.Split(text, "\n")
		if len(lines) > 20 {
			t.Errorf("%s -help prints %d lines, expected at most 20", tool.name, len(lines))
		}
		for _, line := range lines {
			if len(line) > 100 {
				t.Errorf("%s -help prints a line of %d characters, expected at most 100: %s", tool.name, len(line), line)
			}
		}
		found := 0
		for _, m := range option.FindAllStringSubmatch(text, -1) {
			found++
			if !slices.ContainsFunc(optiontext.For(tool.mpi, tool.lang == langGo), func(o optiontext.Option) bool { return slices.Contains(o.Spellings, m[1]) }) {
				t.Errorf("%s -help names the option %s, which it has not", tool.name, m[1])
			}
		}
		if found < 3 {
			t.Errorf("%s -help names %d options:\n%s", tool.name, found, text)
		}
		for _, want := range []string{tool.name + " -showme:help", "man " + tool.name, "docs/install.md"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s -help does not say %q", tool.name, want)
			}
		}
	}
}

// TestHelpOfTheCompiler: --help is the option of the compiler, and a -help behind a command of go that of the command.
func TestHelpOfTheCompiler(t *testing.T) {
	for _, tool := range tools {
		o, rest, err := tool.ownOptions([]string{"--help"})
		switch {
		case err != nil || len(rest) > 0:
			t.Errorf("%s --help: rest %q, %v", tool.name, rest, err)
		case tool.lang == langGo:
			if o.showme != brief {
				t.Errorf("%s --help: form %q", tool.name, o.showme)
			}
			if o, rest, err = tool.ownOptions([]string{"test", "-help"}); err != nil || o.showme != "" || len(rest) != 2 {
				t.Errorf("%s test -help: form %q, rest %q, %v", tool.name, o.showme, rest, err)
			}
		case !o.help || o.showme != "":
			t.Errorf("%s --help: %+v", tool.name, o)
		}
	}
}
