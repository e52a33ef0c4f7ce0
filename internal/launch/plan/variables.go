package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// optionVariables returns the variables by which options reach the processes.
func optionVariables(opts *config.Options) []string {
	var vars []string
	if opts.Net != "" {
		vars = append(vars, envvar.Net+"="+opts.Net)
	}
	for _, size := range []struct {
		name string
		size config.Size
	}{{envvar.StarterSize, opts.StarterSize}, {envvar.HeapSize, opts.StarterSizeDL}, {envvar.ChannelSize, opts.ChannelSize}} {
		if size.size.Given {
			vars = append(vars, size.name+"="+strconv.FormatInt(size.size.Bytes, 10))
		}
	}
	if opts.OnHost > 0 {
		vars = append(vars, envvar.DMIOnHost+"="+strconv.Itoa(opts.OnHost))
	}
	if opts.RDMA != "" {
		vars = append(vars, envvar.RDMA+"="+opts.RDMA)
	}
	if opts.OnError != "" {
		vars = append(vars, envvar.OnError+"="+opts.OnError)
	}
	if opts.Couple != "" {
		vars = append(vars, envvar.Couple+"="+opts.Couple)
	}
	if opts.Interface != "" {
		vars = append(vars, envvar.Interface+"="+opts.Interface)
	}
	if opts.PortRange != "" {
		vars = append(vars, envvar.PortRange+"="+opts.PortRange)
	}
	if opts.Secure {
		vars = append(vars, envvar.Secure+"=yes")
	}
	if opts.Counts() {
		vars = append(vars, envvar.Stats+"=yes")
	}
	if opts.DebugLayers != "" {
		vars = append(vars, envvar.Debug+"="+opts.DebugLayers)
	}
	if opts.DebugFile != "" {
		vars = append(vars, envvar.DebugFile+"="+opts.DebugFile)
	}
	vars = append(vars, opts.Hook.Variables()...)
	if opts.RemoteShell != "" {
		vars = append(vars, envvar.RemoteShell+"="+opts.RemoteShell)
	}
	return vars
}

// forwardedVariables returns the names of the variables that processes on other hosts need:
// those of the rendezvous, those that the plan sets for the job, and those that the user has
// set. Their values cross the network in clear.
func forwardedVariables(jobEnv, environ []string) []string {
	names := append([]string{envvar.Rendezvous, envvar.TokenFile, envvar.Job, envvar.JobName, "UCX_ERROR_SIGNALS", "UCX_POSIX_DIR"}, envvar.Names(jobEnv)...)
	for _, name := range envvar.Names(environ) {
		// Shells do not accept other names, so no command line can have them.
		if strings.HasPrefix(name, "UCX_") && shell.IsVariableName(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range config.SettingVariables() {
		if _, set := envvar.Lookup(environ, name); set && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
