package bridge

import (
	"net"
	"reflect"
	"strings"
	"testing"
)

// environ looks up names in a list of NAME=VALUE.
func environ(vars ...string) func(string) string {
	return func(name string) string {
		for _, v := range vars {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestEnvComesBack(t *testing.T) {
	token, _ := NewToken()
	file, err := WriteTokenFile(t.TempDir(), token)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Env{
		{Rendezvous: []string{"127.0.0.1:4711"}, TokenFile: file, Token: token, JobRank: -1},
		{Rendezvous: []string{"node1:1", "[fe80::1]:65535"}, TokenFile: file, Token: token, Job: 3, JobRank: 0},
		{Rendezvous: []string{"node1:1"}, TokenFile: file, Token: token, Job: 1, JobName: "ocean", JobRank: 1 << 20},
	} {
		if vars := strings.Join(e.Environ(), " "); strings.Contains(vars, token.String()) {
			t.Errorf("the token is in the environment %s", vars)
		}
		got, ok, err := EnvFromOS(environ(e.Environ()...))
		if err != nil || !ok || !reflect.DeepEqual(got, e) {
			t.Errorf("%+v came back as %+v, %v, %v", e, got, ok, err)
		}
	}
}

func TestEnvNotLaunched(t *testing.T) {
	if _, ok, err := EnvFromOS(environ("ACP_TOKEN_FILE=rubbish", "ACP_JOB=x")); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestEnvMalformed(t *testing.T) {
	file, err := WriteTokenFile(t.TempDir(), Token{1})
	if err != nil {
		t.Fatal(err)
	}
	token := "ACP_TOKEN_FILE=" + file
	for _, test := range []struct {
		vars []string
		want string
	}{
		{[]string{"ACP_RENDEZVOUS=host", token, "ACP_JOB=0"}, `ACP_RENDEZVOUS="host": expected host:port`},
		{[]string{"ACP_RENDEZVOUS=:1", token, "ACP_JOB=0"}, `expected host:port`},
		{[]string{"ACP_RENDEZVOUS=h:1,", token, "ACP_JOB=0"}, `expected host:port`},
		{[]string{"ACP_RENDEZVOUS=h:0", token, "ACP_JOB=0"}, `expected a port number from 1 to 65535, found "0"`},
		{[]string{"ACP_RENDEZVOUS=h:http", token, "ACP_JOB=0"}, `found "http"`},
		{[]string{"ACP_RENDEZVOUS=h:1", "ACP_JOB=0"}, "ACP_TOKEN_FILE is not set"},
		{[]string{"ACP_RENDEZVOUS=h:1", token + ".gone", "ACP_JOB=0"}, "ACP_TOKEN_FILE: token: open " + file + ".gone: no such file or directory; the run has ended, or its launcher has not been told of this host"},
		{[]string{"ACP_RENDEZVOUS=h:1", token}, `ACP_JOB="": expected a number from 0`},
		{[]string{"ACP_RENDEZVOUS=h:1", token, "ACP_JOB=-1"}, `ACP_JOB="-1"`},
		{[]string{"ACP_RENDEZVOUS=h:1", token, "ACP_JOB=0", "ACP_JOB_NAME=a b"}, `ACP_JOB_NAME: "a b" is not the name of a job`},
		{[]string{"ACP_RENDEZVOUS=h:1", token, "ACP_JOB=0", "ACP_JOB_RANK=one"}, `ACP_JOB_RANK="one"`},
		{[]string{"ACP_RENDEZVOUS=h:1", token, "ACP_JOB=0", "ACP_JOB_RANK=4294967296"}, `ACP_JOB_RANK=`},
	} {
		_, ok, err := EnvFromOS(environ(test.vars...))
		if ok || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, %v, expected %q", test.vars, ok, err, test.want)
		}
	}
}

// FuzzEnv reads arbitrary variables. An accepted Env has usable addresses and numbers.
func FuzzEnv(f *testing.F) {
	f.Add("127.0.0.1:7,[::1]:8", "0", "ocean", "3", "yes")
	f.Add("host:65536", "-1", "", "", "")
	f.Add(",", "99999999999", "o c", "x", "perhaps")
	token, err := NewToken()
	if err != nil {
		f.Fatal(err)
	}
	file, err := WriteTokenFile(f.TempDir(), token)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, rendezvous, job, jobName, jobRank, secure string) {
		e, launched, err := EnvFromOS(func(name string) string {
			return map[string]string{EnvRendezvous: rendezvous, EnvTokenFile: file, EnvJob: job, EnvJobName: jobName, EnvJobRank: jobRank, EnvSecure: secure}[name]
		})
		if err != nil || !launched {
			return
		}
		if len(e.Rendezvous) == 0 || e.Job < 0 || e.JobRank < -1 || e.Token != token || e.JobName != jobName {
			t.Fatalf("%q, %q, %q mean %+v", rendezvous, job, jobRank, e)
		}
		for _, addr := range e.Rendezvous {
			if host, port, err := net.SplitHostPort(addr); err != nil || host == "" || port == "0" {
				t.Fatalf("%q holds the address %q", rendezvous, addr)
			}
		}
	})
}
