package description

import (
	"fmt"
	"os"
	"path/filepath"
)

// Record says that the values of messages are written to files, for inspection. The zero value writes none.
type Record struct {
	File     string // the beginning of the names of the files
	Every    int    // which messages: those whose number it divides; 0: all
	AtSender bool   // the sending side writes what it sends
}

// recordKey is the key of the files.
const recordKey = "record"

// check returns an error unless there can be such files.
func (r *Record) check(l *Link) error {
	switch {
	case r.File == "" && *r != Record{}:
		return fmt.Errorf("%w: from %s to %s: record-every or record-at without record", ErrLink, l.From, l.To)
	case r.File != "" && l.Watch:
		return fmt.Errorf("%w: from %s to %s: what is watched is not recorded", ErrLink, l.From, l.To)
	}
	return nil
}

// text returns the keys as a text has them.
func (r *Record) text() (text string) {
	if r.File != "" {
		text = "," + recordKey + "=" + escape(r.File)
	}
	if r.Every > 0 {
		text += fmt.Sprintf(",record-every=%d", r.Every)
	}
	if r.AtSender {
		text += ",record-at=sender"
	}
	return text
}

// FindRecord makes the name of the files absolute, which is relative to a folder. It does nothing if the link is not recorded. Fails
// with ErrLink if the folder of the files does not exist.
func (l *Link) FindRecord(folder string) error {
	name := l.Record.File
	if name == "" {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	info, err := os.Stat(filepath.Dir(name))
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", filepath.Dir(name))
	}
	if err == nil {
		l.Record.File, err = filepath.Abs(name)
	}
	if err != nil {
		return fmt.Errorf("%w: record: %w", ErrLink, err)
	}
	return nil
}
