// Package docs has pages of the manual that programs and generators read. Its tests check that the manual names what exists.
package docs

import _ "embed"

// Errors is the page errors.md, which explains messages.
//
//go:embed errors.md
var Errors string
