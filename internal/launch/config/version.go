package config

import "github.com/goacp/goacp/internal/ground/release"

// specVersion is the release of the ACP specification that the launchers implement.
const specVersion = "2.1"

// VersionText returns the output of -version for a program of this name.
func VersionText(program string) string {
	return program + " (GoACP) " + release.Version + ", ACP specification " + specVersion
}
