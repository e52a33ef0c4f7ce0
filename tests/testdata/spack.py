"""Reads the recipe of Spack without Spack: names that it uses are those of Spack's packages, and record how they are
called. Prints the options of configure for each set of variants."""

import importlib.util
import itertools
import sys
import types

VIRTUAL = {"c", "cxx", "fortran", "mpi"}
PACKAGES = VIRTUAL | {"go", "gmake", "python", "py-numpy"}
TYPES = {"build", "link", "run", "test"}
variants, calls = {}, []


def version(name, *, branch):
    calls.append(("version", name, branch))


def variant(name, *, default, description):
    assert isinstance(default, bool) and description[0].isupper() and not description.endswith("."), name
    variants[name] = default


def depends_on(spec, *, type="build,link", when=None):
    assert spec.split("@")[0] in PACKAGES, spec
    assert set(type.split(",")) <= TYPES, spec
    assert when is None or when[0] in "+~" and when[1:] in variants, spec


def conflicts(spec, *, msg):
    assert spec.startswith("platform="), spec


class Package:
    prefix = "/opt/goacp"


class Spec(dict):
    def __init__(self, chosen):
        super().__init__(mpi=types.SimpleNamespace(mpicc="/opt/mpi/bin/mpicc"))
        self.chosen = chosen

    def __contains__(self, text):
        return self.chosen[text[1:]] == (text[0] == "+")


class Environment:
    def set(self, name, value):
        print("set", name, value)

    def prepend_path(self, name, value):
        print("prepend", name, value)


spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
for what in (version, variant, depends_on, conflicts, Package):
    setattr(package, what.__name__, what)
package.join_path = lambda *parts: "/".join(parts)
package.Executable = package.make = None
sys.modules["spack"], sys.modules["spack.package"] = spack, package
found = importlib.util.spec_from_file_location("package", sys.argv[1])
recipe = importlib.util.module_from_spec(found)
found.loader.exec_module(recipe)
assert calls and recipe.Goacp.__doc__ and all(hasattr(recipe.Goacp, phase) for phase in recipe.Goacp.phases)
for values in itertools.product([False, True], repeat=len(variants)):
    goacp = recipe.Goacp()
    goacp.spec = Spec(dict(zip(variants, values)))
    print("configure", *goacp.configure_args())
    goacp.setup_run_environment(Environment())
