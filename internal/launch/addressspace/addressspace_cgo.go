//go:build cgo

package addressspace

import "C" // begin of addressspace.c is called without a call from Go
