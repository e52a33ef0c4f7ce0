package bridge

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Token is the secret that the members of one run share. Launchers bring it to each host
// through the remote shell, into a file ([WriteTokenFile]). It is never in an environment, on
// a command line, or in clear on a connection.
type Token [32]byte

// ErrToken: the peer does not have the run's token.
var ErrToken = errors.New("the peer does not know the token of this run")

// ErrProtocol: the peer does not use the protocol of this version.
var ErrProtocol = errors.New("the peer does not speak the protocol of this ACP version")

// NewToken returns a random token. It fails if the system has no random source.
func NewToken() (Token, error) {
	var t Token
	if _, err := rand.Read(t[:]); err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	return t, nil
}

// ParseToken parses the 64 hexadecimal digits that [Token.String] writes. The error does not
// contain the text, which may be a secret with a misprint.
func ParseToken(text string) (Token, error) {
	var t Token
	if len(text) != hex.EncodedLen(len(t)) {
		return Token{}, fmt.Errorf("token: expected %d hexadecimal digits, found %d characters",
			hex.EncodedLen(len(t)), len(text))
	}
	if _, err := hex.Decode(t[:], []byte(text)); err != nil {
		return Token{}, fmt.Errorf("token: expected %d hexadecimal digits, found another character",
			hex.EncodedLen(len(t)))
	}
	return t, nil
}

// String returns the token as 64 hexadecimal digits, for the token file. Never put it into an
// environment, on a command line or into a message.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// Run returns the public identity of the run whose secret the token is.
func (t Token) Run() (id [16]byte) {
	sum := sha256.Sum256(append([]byte("acp run "), t[:]...))
	return [16]byte(sum[:])
}

// GoString keeps the token out of messages that are made with %#v.
func (t Token) GoString() string { return "bridge.Token{…}" }
