package bridge

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"time"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// EnvSecure is the variable that tells processes to encrypt their connections.
const EnvSecure = envvar.Secure

// SecureFromEnv reads ACP_SECURE with getenv (os.Getenv). The default is no. Errors name the
// variable and what was expected. Pure.
func SecureFromEnv(getenv func(string) string) (bool, error) {
	secure, err := ParseSecure(getenv(EnvSecure))
	if err != nil {
		return false, fmt.Errorf("environment: %s: %w", EnvSecure, err)
	}
	return secure, nil
}

// ParseSecure parses yes or no, also written 1, true, 0 and false. The empty text is no. Pure.
func ParseSecure(text string) (bool, error) {
	switch text {
	case "yes", "1", "true":
		return true, nil
	case "", "no", "0", "false":
		return false, nil
	}
	return false, fmt.Errorf("%q: expected yes or no", text)
}

// channel makes encrypted channels: TLS 1.3 with a certificate that only this process has and
// that no authority signs. The proofs decide which process is at the other end, because they
// contain the keying material of the channel. A relay has two channels with different keys, so
// it cannot pass proofs on. Records have full size, because most bytes travel in long
// transfers.
type channel struct {
	server, client *tls.Config
}

func newChannel() (*channel, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("secure connections: %w", err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(100, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("secure connections: %w", err)
	}
	return &channel{
		server: &tls.Config{
			Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
			MinVersion:   tls.VersionTLS13, SessionTicketsDisabled: true, DynamicRecordSizingDisabled: true,
		},
		// The proof replaces the authority that would sign certificates.
		client: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13, DynamicRecordSizingDisabled: true},
	}, nil
}

// accept makes a channel of a connection that this process has accepted, and puts its keying
// material into e. Without encryption the channel is the connection itself.
func (c *channel) accept(ctx context.Context, conn net.Conn, e *ends) (net.Conn, error) {
	if c == nil {
		return conn, nil
	}
	return bind(ctx, tls.Server(conn, c.server), e)
}

// dial is the counterpart of accept.
func (c *channel) dial(ctx context.Context, conn net.Conn, e *ends) (net.Conn, error) {
	if c == nil {
		return conn, nil
	}
	return bind(ctx, tls.Client(conn, c.client), e)
}

// exporterLabel separates the keying material of proofs from that of other uses.
const exporterLabel = "EXPORTER-goacp-proof"

func bind(ctx context.Context, conn *tls.Conn, e *ends) (net.Conn, error) {
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	state := conn.ConnectionState()
	material, err := state.ExportKeyingMaterial(exporterLabel, nil, proofSize)
	if err != nil {
		return nil, err
	}
	e.channel, e.address = material, netip.AddrPort{}
	return conn, nil
}
