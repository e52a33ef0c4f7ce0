// Package description reads which fields the description of a run couples.
//
// The launchers check the description and pass it on in a variable. The text has one word for each link: the names of
// both fields, a colon between them, and what is different from the defaults:
//
//	ocean.sst:atmosphere.surface,every=10 ocean.sst:viewer.picture,watch
package description

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Link is a link between two fields.
type Link struct {
	From, To     string // "MODEL.FIELD"
	SendEvery    int    // 0: in every step
	ReceiveEvery int
	Levels       int  // 0: 1
	Watch        bool // From is published, To watches
}

// ErrLink: a description of a link that cannot be.
var ErrLink = errors.New("bad link")

// fieldName is a name that a description can have. Names of models are those that jobs may have, without a full stop.
var fieldName = regexp.MustCompile(`^[A-Za-z0-9_+-]+\.[A-Za-z0-9_+-]+$`)

// Parse returns the links of a text. No two are between the same fields. Fails with ErrLink.
func Parse(text string) ([]Link, error) {
	var links []Link
	for _, word := range strings.Fields(text) {
		fields, options, _ := strings.Cut(word, ",")
		var l Link
		l.From, l.To, _ = strings.Cut(fields, ":")
		for options != "" {
			var option string
			option, options, _ = strings.Cut(options, ",")
			key, value, _ := strings.Cut(option, "=")
			if err := l.Set(key, value); err != nil {
				return nil, err
			}
		}
		if err := l.check(); err != nil {
			return nil, err
		}
		for _, other := range links {
			if other.From == l.From && other.To == l.To {
				return nil, fmt.Errorf("%w: the link from %s to %s is there twice", ErrLink, l.From, l.To)
			}
		}
		links = append(links, l)
	}
	return links, nil
}

// Set sets what a key stands for: from, to, every, send-every, receive-every, levels or watch. Fails with ErrLink.
func (l *Link) Set(key, value string) error {
	number := func(least, most int) (int, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("%w: %s is %q; expected a number from %d to %d", ErrLink, key, value, least, most)
		}
		return n, nil
	}
	var err error
	switch key {
	case "from":
		l.From = value
	case "to":
		l.To = value
	case "every":
		l.SendEvery, err = number(1, math.MaxInt32)
		l.ReceiveEvery = l.SendEvery
	case "send-every":
		l.SendEvery, err = number(1, math.MaxInt32)
	case "receive-every":
		l.ReceiveEvery, err = number(1, math.MaxInt32)
	case "levels":
		l.Levels, err = number(1, maxLevels)
	case "watch":
		if l.Watch = value == "" || value == "true"; !l.Watch && value != "false" {
			err = fmt.Errorf("%w: watch is %q; expected true or false", ErrLink, value)
		}
	default:
		err = fmt.Errorf("%w: unknown key %s; expected from, to, every, send-every, receive-every, levels or watch", ErrLink, key)
	}
	return err
}

// maxLevels is link.MaxLevels.
const maxLevels = 1 << 16

// check returns an error unless there can be such a link.
func (l *Link) check() error {
	for _, name := range []string{l.From, l.To} {
		if !fieldName.MatchString(name) {
			return fmt.Errorf("%w: from %q to %q; expected the name of a model, a full stop and the name of a field, of letters, digits and _ + -", ErrLink, l.From, l.To)
		}
	}
	if l.Watch && (l.Levels > 0 || l.ReceiveEvery != l.SendEvery && l.ReceiveEvery > 0) {
		return fmt.Errorf("%w: from %s to %s: what is watched has neither levels nor a distance of steps on the receiving side", ErrLink, l.From, l.To)
	}
	return nil
}

// String returns the link as one word of a text.
func (l Link) String() string {
	text := l.From + ":" + l.To
	add := func(key string, n int) {
		if n > 0 {
			text += fmt.Sprintf(",%s=%d", key, n)
		}
	}
	if l.SendEvery == l.ReceiveEvery {
		add("every", l.SendEvery)
	} else {
		add("send-every", l.SendEvery)
		add("receive-every", l.ReceiveEvery)
	}
	add("levels", l.Levels)
	if l.Watch {
		text += ",watch"
	}
	return text
}
