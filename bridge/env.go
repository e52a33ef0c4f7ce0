package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// Names of the environment variables by which a launcher gives a process its place in the run.
const (
	EnvRendezvous = envvar.Rendezvous
	EnvTokenFile  = envvar.TokenFile
	EnvJob        = envvar.Job
	EnvJobName    = envvar.JobName
	EnvJobRank    = envvar.JobRank
)

// Env is the place in a run that a launcher gives to a process.
type Env struct {
	Rendezvous []string // host:port of the rendezvous server, tried in order
	TokenFile  string   // file on this host that holds Token
	Token      Token
	Secure     bool   // connections are encrypted
	Job        int    // number of the job, from 0
	JobName    string // name of the job; "": not given, the base name of the program
	JobRank    int    // number in the job; -1: not given, the MPI launcher or the server decides
}

// EnvFromOS reads the variables of this package with getenv (os.Getenv). It reads the token
// from the file that ACP_TOKEN_FILE names, because launchers of MPI send variables to other
// hosts in clear. set is false if neither acprun nor macprun has started the process, that is,
// if ACP_RENDEZVOUS is unset or empty. Errors name the variable and what was expected. Safe
// for concurrent use.
func EnvFromOS(getenv func(string) string) (Env, bool, error) {
	list := getenv(EnvRendezvous)
	if list == "" {
		return Env{}, false, nil
	}
	e := Env{JobRank: -1}
	for _, addr := range strings.Split(list, ",") {
		host, port, err := net.SplitHostPort(addr)
		if err != nil || host == "" {
			return Env{}, false, fmt.Errorf("environment: %s=%q: expected host:port[,host:port…]", EnvRendezvous, list)
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return Env{}, false, fmt.Errorf("environment: %s=%q: expected a port number from 1 to 65535, found %q", EnvRendezvous, list, port)
		}
		e.Rendezvous = append(e.Rendezvous, addr)
	}
	var err error
	if e.TokenFile, e.Token, err = envToken(getenv); err != nil {
		return Env{}, false, err
	}
	if e.Secure, err = SecureFromEnv(getenv); err != nil {
		return Env{}, false, err
	}
	if e.Job, err = envNumber(getenv, EnvJob); err != nil {
		return Env{}, false, err
	}
	if e.JobName = getenv(EnvJobName); e.JobName != "" {
		if err := CheckJobName(e.JobName); err != nil {
			return Env{}, false, fmt.Errorf("environment: %s: %w", EnvJobName, err)
		}
	}
	if getenv(EnvJobRank) != "" {
		if e.JobRank, err = envNumber(getenv, EnvJobRank); err != nil {
			return Env{}, false, err
		}
	}
	return e, true, nil
}

// envToken reads the token from the file that the launcher has named.
func envToken(getenv func(string) string) (file string, t Token, err error) {
	file = getenv(EnvTokenFile)
	if file == "" {
		return "", Token{}, fmt.Errorf("environment: %s is not set, but %s is; expected the file with the token of the run", EnvTokenFile, EnvRendezvous)
	}
	t, err = ReadTokenFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", Token{}, fmt.Errorf("environment: %s: %w; the run has ended, or its launcher has not been told of this host", EnvTokenFile, err)
	case err != nil:
		return "", Token{}, fmt.Errorf("environment: %s: %w", EnvTokenFile, err)
	}
	return file, t, nil
}

func envNumber(getenv func(string) string, name string) (int, error) {
	text := getenv(name)
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("environment: %s=%q: expected a number from 0", name, text)
	}
	return int(n), nil
}

// Environ returns the variables that give a child this place, each as NAME=VALUE. They name the file with the
// token, not the token. ACP_JOB_NAME is left out if JobName is empty, and ACP_JOB_RANK if JobRank is
// negative. Pure.
func (e Env) Environ() []string {
	vars := []string{
		EnvRendezvous + "=" + strings.Join(e.Rendezvous, ","),
		EnvTokenFile + "=" + e.TokenFile,
		EnvJob + "=" + strconv.Itoa(e.Job),
	}
	if e.Secure {
		vars = append(vars, EnvSecure+"=yes")
	}
	if e.JobName != "" {
		vars = append(vars, EnvJobName+"="+e.JobName)
	}
	if e.JobRank >= 0 {
		vars = append(vars, EnvJobRank+"="+strconv.Itoa(e.JobRank))
	}
	return vars
}
