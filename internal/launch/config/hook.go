package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// Hook selects, by size, the blocks that malloc takes from memory that other processes of the host map.
type Hook struct {
	Small, Large, Huge bool // sizes below Low, from there to below High, and from High on
	Low, High          Size // HookLow and HookHigh if not given
}

// HookLow and HookHigh are the default limits of the library.
const (
	HookLow  = 128
	HookHigh = 131072
)

// On reports whether any size is chosen.
func (h Hook) On() bool { return h.Small || h.Large || h.Huge }

// Idle reports whether there are limits and no size is chosen.
func (h Hook) Idle() bool { return !h.On() && (h.Low.Given || h.High.Given) }

// Options returns the options that choose sizes, for messages.
func (h Hook) Options() string {
	var names []string
	for _, class := range h.classes() {
		if class.on {
			names = append(names, class.option)
		}
	}
	return strings.Join(names, ", ")
}

// hookClass is a class of sizes, with the names by which it is chosen.
type hookClass struct {
	option, variable string
	on               bool
}

func (h Hook) classes() []hookClass {
	return []hookClass{
		{"-mhooksmall", envvar.HookSmall, h.Small}, {"-mhooklarge", envvar.HookLarge, h.Large}, {"-mhookhuge", envvar.HookHuge, h.Huge},
	}
}

// Variables returns the variables by which the options reach the processes.
func (h Hook) Variables() []string {
	var vars []string
	for _, class := range h.classes() {
		if class.on {
			vars = append(vars, class.variable+"=1")
		}
	}
	if h.Low.Given {
		vars = append(vars, envvar.HookLow+"="+strconv.FormatInt(h.Low.Bytes, 10))
	}
	if h.High.Given {
		vars = append(vars, envvar.HookHigh+"="+strconv.FormatInt(h.High.Bytes, 10))
	}
	return vars
}

// check returns an error if the limits are in the wrong order. If sizes are chosen, a missing limit is that
// of the library. Otherwise a program may have been linked with another limit.
func (h Hook) check() error {
	low, high := h.Low, h.High
	if low.Given == high.Given && !low.Given || low.Given != high.Given && !h.On() {
		return nil
	}
	lowText, highText := "-mhooklow", "-mhookhigh"
	if !low.Given {
		low.Bytes, lowText = HookLow, "-mhooklow if that is not given"
	}
	if !high.Given {
		high.Bytes, highText = HookHigh, "-mhookhigh if that is not given"
	}
	if low.Bytes <= high.Bytes {
		return nil
	}
	if !low.Given {
		return &UsageError{Option: "-mhookhigh", Err: fmt.Errorf("%d is less than the %d of %s", high.Bytes, low.Bytes, lowText)}
	}
	return &UsageError{Option: "-mhooklow", Err: fmt.Errorf("%d is greater than the %d of %s", low.Bytes, high.Bytes, highText)}
}

// adoptHook sets the options that the command line leaves out to the values of the variables.
func (o *Options) adoptHook(p Program, environ []string) error {
	if p != Acprun {
		return nil
	}
	h := &o.Hook
	given := map[string]bool{"mhooksmall": h.Small, "mhooklarge": h.Large, "mhookhuge": h.Huge, "mhooklow": h.Low.Given, "mhookhigh": h.High.Given}
	for _, s := range settings() {
		set, ours := given[s.name]
		text, _ := envvar.Lookup(environ, s.env)
		if !ours || set || text == "" {
			continue
		}
		option := optionValue{opts: o, setting: s, program: p}
		if err := option.Set(text); err != nil {
			return fmt.Errorf("environment: %s: %w", s.env, err)
		}
	}
	return h.check()
}
