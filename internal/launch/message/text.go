package message

import (
	"strings"
	"unicode"
)

// OneLine makes a text of another process fit for a message. Characters that are not printable, such as those
// that control a terminal, become question marks. A text that is too long is cut off.
func OneLine(text string) string {
	if len(text) > maxReason {
		text = text[:maxReason]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
