package description

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

// Time is the operations in time of a link, and the conservation. The zero value has none.
type Time struct {
	Reduction   timing.Reduction
	Lag         int    // in steps of the sender
	Initial     string // file with the initial values, for the lag; "": the values of the field before the first step
	Interpolate bool   // the receiver computes the values of steps between two messages
	Factor      float64
	Offset      float64 // of the receiver, after the factor; a Factor of 0 is 1
	Conserve    conserve.Method
}

// initialKey is the key of the file with the initial values.
const initialKey = "initial"

// set sets the value of a key, if it is one of an operation in time. Fails with ErrLink.
func (t *Time) set(key, value string) (known bool, err error) {
	expected := func(what string) error {
		return fmt.Errorf("%w: %s is %q; expected %s", ErrLink, key, value, what)
	}
	ok := true
	switch key {
	case "reduce":
		if t.Reduction, ok = timing.ReductionOf(value); !ok {
			err = expected(strings.Join(timing.Names(), ", "))
		}
	case "lag":
		if t.Lag, err = strconv.Atoi(value); err != nil || t.Lag < 0 || t.Lag > math.MaxInt32 {
			err = expected(fmt.Sprintf("a number from 0 to %d", math.MaxInt32))
		}
	case initialKey:
		if t.Initial = value; value == "" {
			err = fmt.Errorf("%w: initial has no name of a file", ErrLink)
		}
	case "interpolate":
		t.Interpolate, err = truth(key, value)
	case "factor":
		if t.Factor, ok = finite(value); !ok || t.Factor == 0 {
			err = expected("a finite number that is not 0")
		}
	case "offset":
		if t.Offset, ok = finite(value); !ok {
			err = expected("a finite number")
		}
	case "conserve":
		if t.Conserve, ok = conserve.MethodOf(value); !ok {
			err = expected("none, add or multiply")
		}
	default:
		return false, nil
	}
	return true, err
}

// finite returns the number in a text, and whether it is one that is finite.
func finite(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// text returns the keys as a text has them.
func (t *Time) text() (text string) {
	if t.Reduction != timing.Last {
		text += ",reduce=" + t.Reduction.String()
	}
	if t.Lag > 0 {
		text += fmt.Sprintf(",lag=%d", t.Lag)
	}
	if t.Initial != "" {
		text += "," + initialKey + "=" + escape(t.Initial)
	}
	if t.Interpolate {
		text += ",interpolate"
	}
	for _, x := range []struct {
		key   string
		value float64
	}{{"factor", t.Factor}, {"offset", t.Offset}} {
		if x.value != 0 {
			text += "," + x.key + "=" + strconv.FormatFloat(x.value, 'g', -1, 64)
		}
	}
	if t.Conserve != conserve.None {
		text += ",conserve=" + t.Conserve.String()
	}
	return text
}

// FindInitial makes the name of the file with initial values absolute, which is relative to a folder. It does nothing if the
// link has none. Fails with ErrLink if there is no such file.
func (l *Link) FindInitial(folder string) error {
	name := l.Time.Initial
	if name == "" {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file, but %s", name, info.Mode().Type())
	}
	if err == nil {
		l.Time.Initial, err = filepath.Abs(name)
	}
	if err != nil {
		return fmt.Errorf("%w: initial: %w", ErrLink, err)
	}
	return nil
}
