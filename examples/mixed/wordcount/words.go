package main

import (
	"bytes"
	"strings"
	"unicode"
)

// words calls f for every word of a text, in small letters.
func words(text []byte, f func(word string) error) error {
	for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if err := f(strings.ToLower(word)); err != nil {
			return err
		}
	}
	return nil
}

// cut takes a piece of at most size bytes off a text, which ends behind a line if one ends
// there.
func cut(text []byte, size int) (piece, rest []byte) {
	if len(text) <= size {
		return text, nil
	}
	if i := bytes.LastIndexByte(text[:size], '\n'); i >= 0 {
		size = i + 1
	}
	return text[:size], text[size:]
}
