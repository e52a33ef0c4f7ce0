package plan

import (
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/shell"
)

// jobContext has the inputs for the variables of an MPI job.
type jobContext struct {
	environ   []string // of macprun
	root      bool     // macprun runs as root
	local     bool     // all processes of the job run on this host
	runDir    string   // private directory of the run on all hosts of the job
	rsh       string   // remote shell; "" = the MPI's own choice
	shellHere bool     // the remote shell is on this host only, so daemons on others start none
	tagOutput bool
	windows   bool     // the processes may use windows of MPI
	forward   []string // names of variables that remote processes need
	seq       bool     // ranks go to the lines of the machine file one by one
	dashX     bool     // the runtime line forwards variables with -x, which Open MPI does not mix with a list
	dvm       string   // file with the address of the DVM in which the job is started; "" = none
	slurm     bool     // the hosts are of an allocation of Slurm; without a remote shell the MPI uses srun
}

// environment returns the variables with which several jobs of this MPI work side by side, and
// with the Go runtime in their processes. If the MPI is not known, these are the variables of all
// MPIs: each reads its own. It leaves variables out that the user has set,
// except the list of variables to forward, which it extends.
func (f MPI) environment(s jobContext) []string {
	// In MPI_Init, UCX replaces the handlers of SIGSEGV, SIGBUS and SIGFPE. The Go runtime
	// needs its own handlers: without them a nil dereference kills a program that would
	// recover from it.
	vars := []string{"UCX_ERROR_SIGNALS="}
	if s.runDir != "" {
		vars = append(vars, "UCX_POSIX_DIR="+s.runDir)
	}
	if s.windows {
		vars = append(vars, f.windowsEnv()...)
	}
	if s.slurm && s.rsh == "" {
		vars = append(vars, shell.StepVariables()...)
	}
	if f.mayBe(OpenMPI) {
		vars = append(vars, f.openMPI(s)...)
	}
	if f.mayBe(MPICH) {
		// The library calls MPI from a thread of its own, so plain MPI_Init must give
		// MPI_THREAD_MULTIPLE.
		vars = append(vars, "MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE")
		if s.rsh != "" {
			vars = append(vars, "HYDRA_LAUNCHER=ssh", "HYDRA_LAUNCHER_EXEC="+s.rsh)
		}
	}
	return slices.DeleteFunc(vars, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, set := envvar.Lookup(s.environ, name)
		return set && name != envForwardList
	})
}

// envForwardList is the variable of Open MPI 2 to 4 that lists the variables to forward to
// other hosts.
const envForwardList = "OMPI_MCA_mca_base_env_list"

// openMPI returns the variables for Open MPI.
func (f MPI) openMPI(s jobContext) []string {
	vars := []string{
		"OMPI_MPI_THREAD_LEVEL=3",
		// Waiting ranks of one job must leave the processors to the ranks of other jobs.
		"OMPI_MCA_mpi_yield_when_idle=1",
	}
	if s.root {
		vars = append(vars, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	if major := f.major(); major >= 5 || major == 0 {
		vars = append(vars, prrte(s)...)
	}
	if f.major() < 5 {
		vars = append(vars, orte(s)...)
	}
	return vars
}

// prrte returns the variables for the runtime of Open MPI 5.
func prrte(s jobContext) []string {
	mapping := ":oversubscribe"
	if s.seq {
		mapping = "seq"
	}
	vars := []string{"PRTE_MCA_hwloc_default_binding_policy=none", "PRTE_MCA_rmaps_default_mapping_policy=" + mapping}
	if s.rsh != "" {
		vars = append(vars, "PRTE_MCA_plm_ssh_agent="+s.rsh)
		if s.slurm {
			vars = append(vars, "PRTE_MCA_plm=ssh")
		}
		if s.shellHere {
			// A step of srun ends the daemon that puts itself into the background.
			vars = append(vars, "PRTE_MCA_plm_ssh_no_tree_spawn=1", "PRTE_MCA_prte_leave_session_attached=1")
		}
	}
	if s.runDir != "" {
		vars = append(vars, "PRTE_MCA_prte_tmpdir_base="+s.runDir, "OMPI_MCA_btl_sm_backing_directory="+s.runDir)
	}
	return vars
}

// orte returns the variables for the runtime of Open MPI up to 4.
func orte(s jobContext) []string {
	vars := []string{
		// Every mpirun binds its rank 0 to core 0, so that several jobs would share one core.
		// It also counts slots as if its job were alone.
		"OMPI_MCA_hwloc_base_binding_policy=none",
		"OMPI_MCA_rmaps_base_oversubscribe=1",
	}
	if s.seq {
		// Without this, a host gets as many ranks as it has cores, beginning with this host.
		vars = append(vars, "OMPI_MCA_rmaps=seq")
	}
	if s.rsh != "" {
		vars = append(vars, "OMPI_MCA_plm_rsh_agent="+s.rsh)
		if s.slurm {
			vars = append(vars, "OMPI_MCA_plm=rsh")
		}
		if s.shellHere {
			vars = append(vars, "OMPI_MCA_plm_rsh_no_tree_spawn=1", "OMPI_MCA_orte_leave_session_attached=1")
		}
	}
	if s.tagOutput {
		vars = append(vars, "OMPI_MCA_orte_tag_output=1")
	}
	if s.runDir != "" {
		vars = append(vars, "OMPI_MCA_orte_tmpdir_base="+s.runDir, "OMPI_MCA_btl_vader_backing_directory="+s.runDir)
	}
	if !s.local && !s.dashX {
		vars = append(vars, envForwardList+"="+s.forwardList())
	}
	return vars
}

// forwardList returns the variables to forward, after those that the user forwards.
func (s jobContext) forwardList() string {
	list := s.forward
	if own, set := envvar.Lookup(s.environ, envForwardList); set && own != "" {
		list = append(strings.Split(own, ";"), list...)
	}
	return strings.Join(list, ";")
}

// windowsEnv returns the variables with which windows of this MPI work between hosts over any
// network, and between jobs.
func (f MPI) windowsEnv() []string {
	if f.Family != OpenMPI {
		return nil
	}
	vars := []string{
		"OMPI_MCA_pml=ucx",
		// ucx does not have memory that is shared on purpose (MPI_Win_allocate_shared), sm
		// does.
		"OMPI_MCA_osc=ucx,sm",
		// By default Open MPI uses UCX only for RDMA hardware.
		"OMPI_MCA_opal_common_ucx_tls=any",
		"OMPI_MCA_opal_common_ucx_devices=any",
	}
	if f.major() >= 5 {
		// Collectives of han hang if processes of several jobs differ about which processes
		// are near.
		vars = append(vars, "OMPI_MCA_coll=^han")
	}
	return vars
}
