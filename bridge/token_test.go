package bridge

import (
	"fmt"
	"strings"
	"testing"
)

func TestTokenText(t *testing.T) {
	a, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	if a == b || a == (Token{}) {
		t.Error("tokens are not random")
	}
	if got, err := ParseToken(a.String()); err != nil || got != a {
		t.Errorf("parsed %v: %v", got == a, err)
	}
	for _, text := range []string{"", "12", a.String() + "0", "x" + a.String()[1:]} {
		_, err := ParseToken(text)
		if err == nil {
			t.Errorf("%q: no error", text)
		} else if len(text) > 4 && strings.Contains(err.Error(), text[1:5]) {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
	if strings.Contains(fmt.Sprintf("%#v", a), a.String()[:8]) {
		t.Error("the Go syntax form shows the token")
	}
}

// TestRun: the identity of a run is that of its token, and does not show the token.
func TestRun(t *testing.T) {
	a, same, b := Token{1}, Token{1}, Token{2}
	run := a.Run()
	if run != same.Run() || run == b.Run() {
		t.Error("the identity does not stand for the token")
	}
	if string(run[:]) == string(a[:len(run)]) {
		t.Error("the identity is the token")
	}
}
