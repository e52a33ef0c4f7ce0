// Package description reads which fields the description of a run couples.
//
// The launchers check the description and pass it on in a variable. The text has one word for each link: the names of
// both fields with a colon between them, and the options that differ from the defaults:
//
//	ocean.sst:atmosphere.surface,every=10 ocean.sst:viewer.picture,watch
//
// In the names of files, characters other than letters, digits and / . _ - + ~ @ : are written as in a URL.
package description

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/system/couple/timing"
)

// Link is a link between two fields.
type Link struct {
	From, To     string // "MODEL.FIELD"
	SendEvery    int    // 0: in every step
	ReceiveEvery int
	Levels       int    // 0: 1
	Watch        bool   // From is published, To watches
	Weights      string // file with a matrix, whose rows are points of To and whose columns are points of From; "": none
	AtSender     bool   // the sending side applies the weights
	SameNumbers  bool   // points with the same numbers belong together, whatever the grids of the fields
	Time         Time
	Record       Record
}

// ErrLink: a description of a link that cannot be.
var ErrLink = errors.New("bad link")

// isFieldName reports whether a description can have a name: that of a model and that of its field, with a full stop between. Names of
// models are those that jobs may have, without a full stop.
func isFieldName(name string) bool {
	model, field, _ := strings.Cut(name, ".")
	for _, part := range []string{model, field} {
		if part == "" || strings.ContainsFunc(part, outsideOfNames) {
			return false
		}
	}
	return true
}

// outsideOfNames reports whether a name cannot have a character.
func outsideOfNames(c rune) bool {
	letter, digit := 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80, '0' <= c && c <= '9'
	return !letter && !digit && c != '_' && c != '+' && c != '-'
}

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
			if key == weightsKey || key == initialKey || key == recordKey {
				name, err := url.PathUnescape(value)
				if err != nil {
					return nil, fmt.Errorf("%w: %s: %w", ErrLink, key, err)
				}
				value = name
			}
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

// weightsKey is the key of the file with the weights.
const weightsKey = "weights"

// keys are the keys of a link, for messages.
const keys = "from, to, every, send-every, receive-every, levels, watch, weights, weights-at, same-numbers, reduce, lag, initial, interpolate, factor, offset, conserve, record, record-every or record-at"

// Set sets the value of a key, one of keys. Fails with ErrLink.
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
		l.Watch, err = truth(key, value)
	case "same-numbers":
		l.SameNumbers, err = truth(key, value)
	case weightsKey:
		if l.Weights = value; value == "" {
			err = fmt.Errorf("%w: weights has no name of a file", ErrLink)
		}
	case recordKey:
		if l.Record.File = value; value == "" {
			err = fmt.Errorf("%w: record has no name of a file", ErrLink)
		}
	case "record-every":
		l.Record.Every, err = number(1, math.MaxInt32)
	case "record-at":
		if l.Record.AtSender = value == "sender"; !l.Record.AtSender && value != "receiver" {
			err = fmt.Errorf("%w: record-at is %q; expected sender or receiver", ErrLink, value)
		}
	case "weights-at":
		if l.AtSender = value == "sender"; !l.AtSender && value != "receiver" {
			err = fmt.Errorf("%w: weights-at is %q; expected sender or receiver", ErrLink, value)
		}
	default:
		var known bool
		if known, err = l.Time.set(key, value); !known {
			err = fmt.Errorf("%w: unknown key %s; expected %s", ErrLink, key, keys)
		}
	}
	return err
}

// truth returns the value of a key that is true or false. A key without a value is true.
func truth(key, value string) (bool, error) {
	switch value {
	case "", "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%w: %s is %q; expected true or false", ErrLink, key, value)
}

// maxLevels is link.MaxLevels.
const maxLevels = 1 << 16

// check returns an error unless there can be such a link.
func (l *Link) check() error {
	for _, name := range []string{l.From, l.To} {
		if !isFieldName(name) {
			return fmt.Errorf("%w: from %q to %q; expected the name of a model, a full stop and the name of a field, of letters, digits and _ + -", ErrLink, l.From, l.To)
		}
	}
	if l.Watch && (l.Levels > 0 || l.ReceiveEvery != l.SendEvery && l.ReceiveEvery > 0) {
		return fmt.Errorf("%w: from %s to %s: what is watched has neither levels nor a distance of steps on the receiving side", ErrLink, l.From, l.To)
	}
	if l.Watch && l.Time != (Time{}) {
		return fmt.Errorf("%w: from %s to %s: what is watched has no operations in time and no conservation", ErrLink, l.From, l.To)
	}
	if l.Time.Initial != "" && l.Time.Lag == 0 {
		return fmt.Errorf("%w: from %s to %s: initial without lag", ErrLink, l.From, l.To)
	}
	if lag := (timing.Plan{Every: int64(max(l.SendEvery, 1)), Lag: int64(l.Time.Lag)}); lag.Ahead() > maxLevels {
		return fmt.Errorf("%w: from %s to %s: a lag of %d steps is %d messages; expected at most %d", ErrLink, l.From, l.To, lag.Lag, lag.Ahead(), maxLevels)
	}
	if l.AtSender && l.Weights == "" {
		return fmt.Errorf("%w: from %s to %s: weights-at without weights", ErrLink, l.From, l.To)
	}
	return l.Record.check(l)
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
	if l.Weights != "" {
		text += "," + weightsKey + "=" + escape(l.Weights)
	}
	if l.AtSender {
		text += ",weights-at=sender"
	}
	if l.SameNumbers {
		text += ",same-numbers"
	}
	return text + l.Time.text() + l.Record.text()
}

// escape returns the name of a file as a text has it.
func escape(name string) string {
	var text strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("/._-+~@:", c) >= 0:
			text.WriteByte(c)
		default:
			fmt.Fprintf(&text, "%%%02X", c)
		}
	}
	return text.String()
}
