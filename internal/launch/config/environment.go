package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/spelling"
)

// runVariables returns the names of the variables by which launchers give processes their place in a run, and
// of the variables of earlier releases, which may still be set.
func runVariables() []string {
	return []string{envvar.Rendezvous, envvar.TokenFile, envvar.Job, envvar.JobName, envvar.JobRank, envvar.Report, envvar.DMIOnHost,
		"ACP_TOKEN", "ACP_MYRANK", "ACP_NUMPROCS", "ACP_TASKID", "ACP_LPORT", "ACP_RPORT", "ACP_RHOST", "ACP_ENVNET"}
}

// WithoutRunVariables returns environ without the variables that make a process a member of a
// run.
func WithoutRunVariables(environ []string) []string {
	names := runVariables()
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}

// EnvironmentWarnings returns one warning for each variable of environ that begins with ACP_ and that
// launchers, library and wrapper compilers do not use.
func EnvironmentWarnings(environ []string) []string {
	names := SettingVariables()
	known := append(slices.Clone(names), envvar.Link, envvar.WrapperData, envvar.PMIxLibrary)
	known = append(known, runVariables()...)
	var warnings []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "ACP_") || slices.Contains(known, name) {
			continue
		}
		text := fmt.Sprintf("environment variable %s is unknown and ignored", name)
		if near := spelling.Nearest(name, names); near != "" {
			text += "; did you mean " + near + "?"
		}
		warnings = append(warnings, text)
	}
	slices.Sort(warnings)
	return warnings
}

// AdoptEnvironment sets options that the command line leaves out to the values of their
// variables. It does so for the options that the launcher itself uses, and for those that
// must reach every host.
func (o *Options) AdoptEnvironment(p Program, environ []string) error {
	secure, err := bridge.SecureFromEnv(func(name string) string { v, _ := envvar.Lookup(environ, name); return v })
	if err != nil {
		return err
	}
	o.Secure = o.Secure || secure
	text, _ := envvar.Lookup(environ, envvar.Stats)
	stats, err := bridge.ParseSecure(text)
	if err != nil {
		return fmt.Errorf("environment: %s: %w", envvar.Stats, err)
	}
	o.Stats = o.Stats || stats
	if err := o.adoptHook(p, environ); err != nil {
		return err
	}
	for _, s := range settings() {
		target := map[string]*string{"rsh": &o.RemoteShell, "interface": &o.Interface, "portrange": &o.PortRange,
			"debug-layers": &o.DebugLayers, "debug-file": &o.DebugFile}[s.name]
		text, _ := envvar.Lookup(environ, s.env)
		if target == nil || *target != "" || text == "" {
			continue
		}
		option := optionValue{opts: o, setting: s, program: p}
		if err := option.Set(text); err != nil {
			return fmt.Errorf("environment: %s: %w", s.env, err)
		}
	}
	return nil
}

// SettingVariables returns the names of the variables that give defaults for options.
func SettingVariables() []string {
	var names []string
	for _, s := range settings() {
		if s.env != "" {
			names = append(names, s.env)
		}
	}
	return names
}
