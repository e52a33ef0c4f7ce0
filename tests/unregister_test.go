package tests

import "testing"

// TestUnregister unregisters memory to which the other ranks write, by every network.
func TestUnregister(t *testing.T) {
	const memory = "6m"
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			suite.Sandbox(t).Must("acprun", "-np", "3", "-net", net, "-smemsize", memory, suite.Go(t, "unregister"))
		})
	}
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			windowed(t, suite.Sandbox(t), mpi, []int{3}, suite.GoMPI(t, "unregister", mpi), "-smemsize", memory)
		})
	}
}

// TestChurn registers and unregisters thousands of regions while other ranks use the remaining regions among them, by
// every network.
func TestChurn(t *testing.T) {
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			suite.Sandbox(t).Must("acprun", "-np", "3", "-net", net, "-smemsize", "1m", suite.C(t, "churn"), "20000")
		})
	}
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			windowed(t, suite.Sandbox(t), mpi, []int{3}, suite.CMPI(t, "churn", mpi)+" 4000", "-smemsize", "1m")
		})
	}
}
