package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goacp/goacp/wrappers/toolchain"
)

// hook says for which blocks malloc is to take memory that other processes of the host map.
// lib/hook/pool.h has the classes and the limits.
type hook struct {
	classes   int // sum of hookSmall, hookLarge and hookHuge
	low, high uint64
	limit     string // an option that gives a limit, as it was written; "" = none
}

const (
	hookSmall = 1 << iota
	hookLarge
	hookHuge

	hookAll = hookSmall | hookLarge | hookHuge
)

// The limits between the classes if no option gives them.
const (
	hookLow  = 128
	hookHigh = 131072
)

// hookOptions are the options for malloc, without dashes. Those of value 0 give a limit.
var hookOptions = map[string]int{
	"mhook": hookAll, "mhooksmall": hookSmall, "mhooklarge": hookLarge, "mhookhuge": hookHuge, "mhooklow": 0, "mhookhigh": 0,
}

// isHookOption reports whether a word is an option for malloc.
func isHookOption(word string) bool {
	name, _, _ := strings.Cut(optionName(word), "=")
	_, is := hookOptions[name]
	return is
}

// take takes the option args[0], and its value if that is args[1]. It returns how many words these are.
func (h *hook) take(t tool, args []string) (int, error) {
	name, value, joined := strings.Cut(optionName(args[0]), "=")
	option, _, _ := strings.Cut(args[0], "=")
	if t.lang == langGo {
		return 0, fmt.Errorf("option %s: programs in Go do not use malloc; slices of Process.Alloc lie in memory that other processes map", option)
	}
	if class := hookOptions[name]; class != 0 {
		if joined {
			return 0, fmt.Errorf("option %s takes no value", option)
		}
		h.classes |= class
		return 1, nil
	}
	words := 1
	if !joined {
		if len(args) == 1 {
			return 0, fmt.Errorf("option %s: expected a size after it", option)
		}
		value, words = args[1], 2
	}
	size, err := parseSize(value)
	if err != nil {
		return 0, fmt.Errorf("option %s: %w", option, err)
	}
	h.limit = option
	if name == "mhooklow" {
		h.low = size
	} else {
		h.high = size
	}
	return words, nil
}

// finish sets the limits that no option gives, and checks the options together.
func (h *hook) finish() error {
	if h.classes == 0 && h.limit != "" {
		return fmt.Errorf("option %s switches nothing on: expected -mhook, -mhooksmall, -mhooklarge or -mhookhuge as well", h.limit)
	}
	if h.low == 0 {
		h.low = hookLow
	}
	if h.high == 0 {
		h.high = hookHigh
	}
	if h.low > h.high {
		return fmt.Errorf("the limit %d of -mhooklow is greater than the %d of -mhookhigh", h.low, h.high)
	}
	return nil
}

// linkFlags returns what links a program with libacphook, which stays linked although the program calls
// nothing of it by name. libDir is the folder of libraries in which the program looks already.
func (h *hook) linkFlags(d *toolchain.Data, libDir string) []string {
	if h.classes == 0 {
		return nil
	}
	flags := []string{
		fmt.Sprintf("-Wl,--defsym=goacp_hook_classes=%d,--defsym=goacp_hook_low=%d,--defsym=goacp_hook_high=%d", h.classes, h.low, h.high),
		"-Wl,--push-state,--no-as-needed", "-lacphook", "-Wl,--pop-state",
	}
	if libDir != d.LibDir {
		flags = append(flags, "-Wl,-rpath,"+d.LibDir)
	}
	return flags
}

// parseSize returns a number of bytes that may have a unit.
func parseSize(text string) (uint64, error) {
	digits, shift := text, 0
	if i := strings.IndexAny(text, "kKmMgG"); i >= 0 && i == len(text)-1 {
		digits, shift = text[:i], map[byte]int{'k': 10, 'm': 20, 'g': 30}[text[i]|0x20]
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is not a size; expected bytes such as 10240, 8k or 1m", text)
	}
	return n << shift, nil
}
