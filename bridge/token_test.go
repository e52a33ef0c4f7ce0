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
