// Package lazyregexp has regular expressions that are compiled at their first use. A command that starts processes uses few of its
// expressions in most runs, and compiling all of them would be a part of the time of each start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled at its first use. Safe for concurrent use.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns the expression. Its first use panics if the text is none, as regexp.MustCompile does.
func New(text string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Get returns the compiled expression. Compiles it at the first call.
func (r *Regexp) Get() *regexp.Regexp { return r.compiled() }
