// Package config holds the settings of the user of acprun or macprun. It reads command lines, variables,
// inputfiles, YAML descriptions and nodefiles, and checks them.
//
// All options are rows of one table (setting.go). The parser of command lines, the variables,
// the keys of YAML descriptions, -help and the manual all come from it.
//
// The functions are pure, except ReadFile and ReadAll. A mistake in a command line is a
// *UsageError, which names the option. A mistake in a file is a *ParseError, which names the
// file and the line.
package config
