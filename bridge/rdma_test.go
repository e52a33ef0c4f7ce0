package bridge

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestDetectRDMA(t *testing.T) {
	none := fstest.MapFS{}
	down := fstest.MapFS{"mlx5_0/ports/1/state": {Data: []byte("1: DOWN\n")}}
	active := fstest.MapFS{
		"mlx5_0/ports/1/state": {Data: []byte("1: DOWN\n")},
		"mlx5_1/ports/1/state": {Data: []byte("4: ACTIVE\n")},
	}
	for _, c := range []struct {
		name    string
		devices fs.FS
		env     map[string]string
		want    RDMA
	}{
		{"nothing", none, nil, RDMAAbsent},
		{"no port", down, nil, RDMADown},
		{"one active port", active, nil, RDMAFound},
		{"user says yes", none, map[string]string{EnvRDMA: "yes"}, RDMAAsserted},
		{"user says 1", down, map[string]string{EnvRDMA: "1"}, RDMAAsserted},
		{"user says no", active, map[string]string{EnvRDMA: "NO"}, RDMADenied},
		{"user says 0", active, map[string]string{EnvRDMA: "0"}, RDMADenied},
		{"user says auto", active, map[string]string{EnvRDMA: "auto"}, RDMAFound},
		{"UCX over tcp", active, map[string]string{"UCX_TLS": "tcp,self"}, RDMAExcluded},
		{"UCX over rc", active, map[string]string{"UCX_TLS": "self,rc_x"}, RDMAFound},
		{"UCX over all", active, map[string]string{"UCX_TLS": "all"}, RDMAFound},
		{"UCX but for tcp", active, map[string]string{"UCX_TLS": "^tcp"}, RDMAFound},
		{"UCX but for adapters", active, map[string]string{"UCX_TLS": "^ib,rc,ud,dc,all"}, RDMAExcluded},
		{"Open MPI without UCX", active, map[string]string{"OMPI_MCA_pml": "ob1"}, RDMAExcluded},
		{"Open MPI with UCX", active, map[string]string{"OMPI_MCA_pml": "ucx"}, RDMAFound},
		{"OFI over sockets", active, map[string]string{"FI_PROVIDER": "sockets;ofi_rxm"}, RDMAExcluded},
		{"OFI over verbs", active, map[string]string{"FI_PROVIDER": "verbs;ofi_rxm"}, RDMAFound},
		{"settings without adapter", none, map[string]string{"UCX_TLS": "tcp"}, RDMAAbsent},
	} {
		got, err := DetectRDMA(func(name string) string { return c.env[name] }, c.devices)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; expected %v", c.name, got, err, c.want)
		}
		if usable := c.want == RDMAFound || c.want == RDMAAsserted; got.Usable() != usable {
			t.Errorf("%s: usable %v", c.name, got.Usable())
		}
	}
	if _, err := DetectRDMA(func(string) string { return "perhaps" }, active); err == nil {
		t.Error("ACP_RDMA=perhaps was accepted")
	}
}
