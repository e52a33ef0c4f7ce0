package config

import "github.com/goacp/goacp/internal/release"

// specVersion is the release of the ACP specification that the launchers implement.
const specVersion = "2.1"

func VersionText(p Program) string {
	return p.String() + " (GoACP) " + release.Version + ", ACP specification " + specVersion
}
