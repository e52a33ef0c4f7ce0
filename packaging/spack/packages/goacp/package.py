"""The recipe of GoACP for Spack: spack repo add packaging/spack; spack install goacp."""

from spack.package import *


class Goacp(Package):
    """One global address space over MPI jobs and other programs, and coupling of models, for C, C++, Fortran, Go
    and Python."""

    homepage = "https://github.com/goacp/goacp"
    git = "https://github.com/goacp/goacp.git"

    version("main", branch="main")

    variant("mpi", default=True, description="Build libmacp for the MPI of the spec")
    variant("fortran", default=True, description="Build the Fortran modules acp and acp_couple")
    variant("python", default=True, description="Let Python find the package goacp")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("go@1.26:", type="build")
    depends_on("gmake", type="build")
    depends_on("mpi@3:", when="+mpi")
    depends_on("python@3.9:", type="run", when="+python")
    depends_on("py-numpy@1.20:", type="run", when="+python")

    conflicts("platform=darwin", msg="GoACP needs Linux")

    phases = ["configure", "build", "install"]

    def configure_args(self):
        """Return the options of configure for the variants."""
        args = [f"--prefix={self.prefix}"]
        if "+mpi" in self.spec:
            args.append(f"--with-mpi={self.spec['mpi'].mpicc}")
        else:
            args.append("--without-mpi")
        args.append("--with-fortran" if "+fortran" in self.spec else "--without-fortran")
        return args

    def configure(self, spec, prefix):
        Executable("./configure")(*self.configure_args())

    def build(self, spec, prefix):
        make()

    def install(self, spec, prefix):
        make("install")

    def setup_run_environment(self, env):
        env.set("GOACP_ROOT", self.prefix)
        if "+python" in self.spec:
            env.prepend_path("PYTHONPATH", join_path(self.prefix, "lib", "python3", "site-packages"))
