package launch

// AcpstatHelp returns the help text of acpstat, for manuals and for the completion of shells.
func AcpstatHelp() string { return acpstatHelp }
