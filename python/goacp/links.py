"""Links between fields, which move values step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from . import _wait

if TYPE_CHECKING:
    from .coupling import Field
    from .session import Run
    from .watching import Watcher

_L = TypeVar("_L", bound="Link")


class Link:
    """One end of a link. It keeps its field and the array of the field alive until it is closed or the run ends."""

    def __init__(self, field: "Field", handle: int) -> None:
        """Made by the methods of Field."""
        self.field, self._handle, self._closed = field, handle, False
        self._run = field.model.run
        self._run.links[handle] = self

    def close(self) -> None:
        """End the use of the link. Messages that have been sent still arrive.

        Blocks until they have left this process.
        """
        if not self._closed:
            self._closed = True
            self._run.links.pop(self._handle, None)
            self._run.api.call("acp_close_link", self._handle)

    def __enter__(self: _L) -> _L:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()

    def ready(self) -> bool:
        """Return whether the next step that has a message would not wait. Does not block."""
        return self._run.api.call("acp_isready_link", self._handle) == 0


class Sending(Link):
    """The sending end of a link. Field.send_to makes it."""

    def send(self, step: int) -> None:
        """Send the values of this rank. The array may change afterwards.

        It does nothing in steps without a message. Steps are at least 0, and ascend. Raises LinkEnded if a receiver
        has closed the link, and Error for a wrong step. Blocks while a receiver is as many messages behind as the
        link has levels.
        """
        _wait.until_done(self._run.api, "acp_send_link", self._handle, step)


class Receiving(Link):
    """The receiving end of a link. Field.receive_from makes it."""

    def receive(self, step: int) -> None:
        """Receive the values of a step for this rank, into the array of the field.

        It does nothing in steps without a message. Raises LinkEnded if a sender has closed the link and all its
        messages have been received, and Error for a wrong step; then the array is as before. Blocks until the
        values have arrived.
        """
        _wait.until_done(self._run.api, "acp_receive_link", self._handle, step)


class DescribedLinks:
    """The links of the run's description that begin or end at a model. Model.open_links makes it."""

    def __init__(self, run: "Run", handle: int) -> None:
        self._run, self._handle, self._closed = run, handle, False

    def send(self, step: int) -> None:
        """Send the fields of all links that begin at the model and have a message in this step.

        Otherwise as Sending.send. Blocks until the receivers have room.
        """
        _wait.in_thread(lambda: self._run.api.call("acp_send_links", self._handle, step))

    def receive(self, step: int) -> None:
        """Receive the fields of all links that end at the model and have a message in this step.

        Watched links are left out. Otherwise as Receiving.receive. Blocks until the values have arrived.
        """
        _wait.in_thread(lambda: self._run.api.call("acp_receive_links", self._handle, step))

    def watcher(self, field: "Field") -> "Watcher":
        """Return the watched link to a field of the model. close closes it. Raises Error. Does not block."""
        from .watching import Watcher

        handle = self._run.api.call("acp_query_watched_link", self._handle, field.name.encode(), failure=None)
        return Watcher(field, handle, of=self)

    def close(self) -> None:
        """Close all of the links. Blocks until all sent messages have left this process."""
        if not self._closed:
            self._closed = True
            self._run.api.call("acp_close_links", self._handle)

    def __enter__(self) -> "DescribedLinks":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
