package bridge

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Under plain mpirun nothing brings a secret to the hosts before the run begins, and MPI
// carries data in clear. So member 0 makes the token and seals it for each other member with a
// key that the two agree on by X25519. A passive listener learns nothing. An attacker that
// changes what MPI carries gets the token, but such an attacker controls MPI itself.

// publicKeySize is the size of a public key of X25519, in bytes.
const publicKeySize = 32

// sealedSize is the size of a token sealed by AES-GCM.
const sealedSize = len(Token{}) + 16

// gatherer collects bytes of all members at all members, in member order. counts[i] bytes come
// from member i.
type gatherer func(send []byte, counts []int) ([]byte, error)

// agreeOnToken gives all members the token that member 0 makes. Collective.
func agreeOnToken(member, size int, gather gatherer) (Token, error) {
	if size == 1 {
		return NewToken()
	}
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	public, err := gather(key.PublicKey().Bytes(), slices.Repeat([]int{publicKeySize}, size))
	if err != nil {
		return Token{}, err
	}
	counts := make([]int, size)
	counts[0] = (size - 1) * sealedSize
	if member > 0 {
		sealed, err := gather(nil, counts)
		if err != nil {
			return Token{}, err
		}
		return openToken(sealed[(member-1)*sealedSize:][:sealedSize], member, key, public)
	}
	token, err := NewToken()
	if err != nil {
		return Token{}, err
	}
	sealed, failure := sealToken(token, key, public)
	if failure != nil {
		// The other members wait for these bytes, and detect that they are no token.
		sealed = make([]byte, counts[0])
	}
	if _, err := gather(sealed, counts); err != nil {
		return Token{}, err
	}
	return token, failure
}

// sealToken returns the token, sealed for member 1, member 2, and so on.
func sealToken(token Token, key *ecdh.PrivateKey, public []byte) ([]byte, error) {
	var sealed []byte
	for member := 1; member < len(public)/publicKeySize; member++ {
		aead, err := pairCipher(key, member, member, public)
		if err != nil {
			return nil, err
		}
		// The key is used only once, so the nonce may be constant.
		sealed = aead.Seal(sealed, make([]byte, aead.NonceSize()), token[:], nil)
	}
	return sealed, nil
}

// openToken returns the token that member 0 has sealed for a member.
func openToken(sealed []byte, member int, key *ecdh.PrivateKey, public []byte) (Token, error) {
	aead, err := pairCipher(key, 0, member, public)
	if err != nil {
		return Token{}, err
	}
	text, err := aead.Open(nil, make([]byte, aead.NonceSize()), sealed, nil)
	if err != nil {
		return Token{}, fmt.Errorf("token: what rank 0 has sent to rank %d cannot be opened: %w", member, err)
	}
	return Token(text), nil
}

// pairCipher returns the cipher between member 0 and another member. It is made of the private
// key of one and the public key of the other.
func pairCipher(key *ecdh.PrivateKey, peer, member int, public []byte) (cipher.AEAD, error) {
	publicOf := func(m int) []byte { return public[m*publicKeySize:][:publicKeySize] }
	other, err := ecdh.X25519().NewPublicKey(publicOf(peer))
	if err != nil {
		return nil, fmt.Errorf("token: key of rank %d: %w", peer, err)
	}
	shared, err := key.ECDH(other)
	if err != nil {
		return nil, fmt.Errorf("token: key of rank %d: %w", peer, err)
	}
	secret, err := hkdf.Key(sha256.New, shared, slices.Concat(publicOf(0), publicOf(member)), "ACP token", 32)
	if err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	return cipher.NewGCM(block)
}
