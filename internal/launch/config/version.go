package config

// Version is the release of the launchers.
const Version = "2.1.0"

// specVersion is the release of the ACP specification that the launchers implement.
const specVersion = "2.1"

func VersionText(p Program) string {
	return p.String() + " (GoACP) " + Version + ", ACP specification " + specVersion
}
