"""Models and fields, which links connect with those of other programs."""

from __future__ import annotations

import ctypes
import errno
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np

from . import _wait, arrays, layouts, weights as matrices
from .errors import ArrayError, Error
from .implicit import Implicit
from .links import DescribedLinks, Receiving, Sending
from .watching import Publication, Watcher

if TYPE_CHECKING:
    from .session import Run

#: The methods of Field.conserve, by their numbers.
_METHODS = ("none", "add", "multiply")


def _seconds(timeout: Optional[float]) -> float:
    """Return a time limit as C has it."""
    return -1.0 if timeout is None else max(float(timeout), 0.0)


class Model:
    """A program, or some ranks of one, that takes part in coupling. Run.model makes it."""

    def __init__(self, run: "Run", name: Optional[str], ranks: Optional[Sequence[int]]) -> None:
        self.run = run
        members = None if ranks is None else np.asarray(ranks, np.intc)
        self.handle = run.api.call(
            "acp_create_model", None if name is None else name.encode(),
            None if members is None else members.ctypes.data, 0 if members is None else len(members), failure=None,
        )

    def field(
        self, name: str, array: np.ndarray, *,
        block: Optional[tuple[Sequence[int], Sequence[int]]] = None, points: Any = None,
        ranges: Optional[Sequence[tuple[int, int]]] = None, halo: Union[int, Sequence[int]] = 0,
        fill_halo: bool = False, same_numbers: bool = False, order: Optional[str] = None,
        active: Optional[np.ndarray] = None,
    ) -> "Field":
        """Declare a field: the values of an array for some points of a grid or mesh.

        One of these gives the points of this rank:

        - block is (sizes, firsts): the number of points of the grid in each dimension, and the subscripts of the
          first point of this rank, from 0. The array has as many dimensions, and one more if a point has several
          values: the last in the order of C, the first in that of Fortran.
        - points are the numbers of the points, from 0; array has them in its first dimension.
        - ranges are pairs of a first point and a number of points.

        order is "C" or "F", that of the array of a block. Without it the array shows its order. An array that has both, as
        one of one row or column, needs it if the grid has several rows and columns, or if a point has several values.

        halo is the number of further points of the array on each side of a block; fill_halo lets links fill them.
        same_numbers allows links between grids of different shapes. Where active is False, a point takes no part
        in links; active has the shape of the array without the dimension of the values.

        The library reads and writes the array as long as the field has links, which keep it alive. All ranks of the
        model pass the same name, type and number of values. Raises ArrayError for a wrong array, and Error for
        points that occur twice. Does not block.
        """
        layout = layouts.of(array, block, points, ranges, halo, fill_halo, same_numbers, order)
        return Field(self, name, array, layout, active)

    def seal(self) -> None:
        """End the declaration of fields: links to fields that the model does not have fail at once. Does not block."""
        self.run.api.call("acp_seal_model", self.handle)

    def implicit(self, other: str, *, leads: bool) -> Implicit:
        """Return the iteration by which this model and another one repeat each step until both agree.

        The other model calls it with the name of this one, and exactly one of both leads. All ranks of both call it before
        seal and open_links. Raises Error. Does not block.
        """
        return Implicit(self, other, leads)

    def times(self) -> tuple[float, float]:
        """Return how many seconds this rank has computed, and how many it has waited for links of the model.

        Only times in which the model had open links count. Does not block.
        """
        computed, waited = ctypes.c_double(), ctypes.c_double()
        self.run.api.call("acp_query_model_times", self.handle, ctypes.byref(computed), ctypes.byref(waited))
        return computed.value, waited.value

    def free(self) -> None:
        """Free the handle of the model. Its fields and links stay. Does not block."""
        self.run.api.call("acp_free_model", self.handle)

    def open_links(self, timeout: Optional[float] = None) -> DescribedLinks:
        """Seal the model, and open the links of the run's description that begin or end at it.

        timeout is in seconds. All ranks of the model call it. Raises Error if a link cannot be opened. Blocks until
        the other models open the links.
        """
        handle = _wait.in_thread(
            lambda: self.run.api.call("acp_open_links", self.handle, _seconds(timeout), failure=None)
        )
        return DescribedLinks(self.run, handle)


class Field:
    """The values of an array for some points. Model.field makes it."""

    def __init__(
        self, model: Model, name: str, array: np.ndarray, layout: layouts.Layout, active: Optional[np.ndarray],
    ) -> None:
        self.model, self.name, self.array, self._layout = model, name, array, layout
        api = model.run.api
        self.handle = api.call(
            layout.function, model.handle, name.encode(), layout.type, layout.values, self._address(array),
            *layout.points, failure=None,
        )
        model.run.declared.append(self)  # acp_open_links opens links without a call for the field
        if active is not None:
            self._mask(np.asarray(active))

    def free(self) -> None:
        """Free the field. Links that are open stay open. Model.open_links does not use the field. Does not block."""
        self.model.run.api.call("acp_free_field", self.handle)
        self.model.run.declared.remove(self)

    @staticmethod
    def _address(array: np.ndarray) -> Optional[int]:
        return arrays.address(array) if array.size else None

    def _mask(self, active: np.ndarray) -> None:
        """Mask the points where active is False."""
        if active.shape != tuple(self._layout.memory):
            raise ArrayError(f"active has the shape {active.shape}, and the points {tuple(self._layout.memory)}")
        order = "F" if self._layout.fortran else "C"
        masks = np.ascontiguousarray(active.ravel(order=order).astype(bool), np.intc)  # type: ignore[call-overload]
        self.model.run.api.call("acp_mask_field", self.handle, masks.ctypes.data, masks.size)

    def use(self, array: np.ndarray) -> None:
        """Use another array from now on, such as that of the next time level.

        It has the same type, shape and order. Raises ArrayError for another one. Does not block.
        """
        arrays.contiguous(array, "array", write=self.array.flags.writeable)
        if (array.dtype, array.shape, array.strides) != (self.array.dtype, self.array.shape, self.array.strides):
            raise ArrayError(f"the field has {self.array.dtype} of {self.array.shape}: pass an array like it")
        self.model.run.api.call("acp_use_field", self.handle, self._address(array))
        self.array = array

    def conserve(self, method: str, areas: Optional[np.ndarray] = None) -> None:
        """Let links of the field that are opened afterwards keep its integral, by "add" or "multiply"; "none" ends that.

        areas has the area of each point of the array, and its shape; without it each is 1. The other field of a link
        has the same method. Raises ArrayError for another shape, and Error for integers. Does not block.
        """
        if method not in _METHODS:
            raise ValueError(f"method is {method!r}: expected one of {', '.join(_METHODS)}")
        address, count, own = None, 0, None
        if areas is not None:
            if areas.shape != tuple(self._layout.memory):
                raise ArrayError(f"areas has the shape {areas.shape}, and the points {tuple(self._layout.memory)}")
            own = np.ascontiguousarray(areas.ravel(order="F" if self._layout.fortran else "C"), np.float64)
            address, count = own.ctypes.data, own.size
        self.model.run.api.call("acp_conserve_field", self.handle, _METHODS.index(method), address, count)
        del own  # the library has read the areas

    def send_to(
        self, to: str, *, levels: int = 0, every: int = 1, weights: Any = None, timeout: Optional[float] = None,
    ) -> Sending:
        """Open the link to a field of another model, such as "atmosphere.surface".

        levels is the number of messages that this side may be ahead; 0 takes the number of the other side. The link
        sends in steps that are multiples of every. weights is a scipy.sparse matrix, or (rows, columns, weights):
        rows are points of the other field, columns points of this one that this rank has. It may also be the name of a
        file with the matrix, of netCDF or Matrix Market. timeout is in seconds.

        Raises Error if the link cannot be opened, and TimedOut. Blocks until all ranks of both models open it.
        """
        handle = self._open("to", to, levels, every, weights, timeout)
        return Sending(self, handle)

    def receive_from(
        self, source: str, *, levels: int = 0, every: int = 1, weights: Any = None, timeout: Optional[float] = None,
    ) -> Receiving:
        """Open the link from a field of another model, such as "ocean.sst".

        Rows of weights are points of this field that this rank has, columns points of the other field. Otherwise as
        send_to. Raises ArrayError if the array is read-only. Blocks until all ranks of both models open it.
        """
        arrays.contiguous(self.array, "the array of the field", write=True)
        handle = self._open("from", source, levels, every, weights, timeout)
        return Receiving(self, handle)

    def _open(
        self, direction: str, other: str, levels: int, every: int, weights: Any, timeout: Optional[float],
    ) -> int:
        """Open one end of a link, and return its handle."""
        api = self.model.run.api
        kind, matrix, keep = matrices.arguments(weights)
        handle = api.call(
            f"acp_begin_link_{kind}{direction}", self.handle, other.encode(), *matrix, levels, every, _seconds(timeout),
            failure=None,
        )
        del keep  # the library has read the matrix
        links = (ctypes.c_void_p * 1)(handle)
        try:
            _wait.until_done(api, "acp_complete_links", links, 1, unfinished=errno.EINPROGRESS)
        except Error:
            raise  # the library has closed the link
        except BaseException:  # such as a TimeoutError of a signal handler
            api.acp_close_link(handle)
            raise
        return handle

    def publish_to(self, to: str, *, every: int = 1, weights: Any = None) -> Publication:
        """Begin to publish the field to a field of a model that watches, such as "viewer.picture".

        This model never waits for the watchers. All ranks of the model call it. every and weights as in send_to.
        Raises Error for a wrong name. Does not block.
        """
        api = self.model.run.api
        kind, matrix, keep = matrices.arguments(weights)
        handle = api.call(f"acp_publish_link_{kind}to", self.handle, to.encode(), *matrix, every, failure=None)
        del keep
        return Publication(self, handle)

    def watch(self, source: str, *, weights: Any = None, timeout: Optional[float] = None) -> Watcher:
        """Open the link from a field that another model publishes, such as "ocean.sst".

        All ranks of the model call it. weights as in receive_from; timeout is in seconds. Raises ArrayError if the
        array is read-only, LinkEnded if the publication has ended, and TimedOut. Blocks until the other model
        publishes the field.
        """
        arrays.contiguous(self.array, "the array of the field", write=True)
        api, name = self.model.run.api, source.encode()
        kind, matrix, keep = matrices.arguments(weights)
        arguments = (f"acp_watch_link_{kind}from", self.handle, name, *matrix, _seconds(timeout))
        handle = _wait.in_thread(lambda: (api.call(*arguments, failure=None), keep)[0])
        return Watcher(self, handle)
