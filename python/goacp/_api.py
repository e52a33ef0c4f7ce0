"""The C functions that the package calls, with their types. docs/bindings.md has the methods that call them."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Optional

from . import _find, errors


class Element(ctypes.Structure):
    """acp_element_t: bytes in global memory."""

    _fields_ = [("ga", c_uint64), ("size", c_size_t)]


class Pair(ctypes.Structure):
    """acp_pair_t: a key and its value."""

    _fields_ = [("first", Element), ("second", Element)]


class MapHandle(ctypes.Structure):
    """acp_map_t."""

    _fields_ = [("ga", c_uint64), ("num_ranks", c_uint64), ("num_slots", c_uint64)]


class MapIterator(ctypes.Structure):
    """acp_map_it_t."""

    _fields_ = [("map", MapHandle), ("rank", c_int), ("slot", c_int), ("elem", c_uint64)]


_ints = POINTER(c_int)
_int64s = POINTER(c_int64)
_doubles = POINTER(c_double)
_matrix = (c_void_p, c_void_p, c_void_p, c_int64)  # rows, columns, weights, entries
_word = c_void_p  # an integer of 64 bits: ctypes takes twice as long to convert an int to a c_uint64

#: Results of goacp_python_put and goacp_python_get beside handles.
COMPLETE, PRIVATE = 2**64 - 1, 2**64 - 2

#: The result of goacp_python_complete for a transfer that is not complete.
UNDER_WAY = -1

#: The result and the parameters of each function.
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "acp_init": (c_int, POINTER(c_int), POINTER(POINTER(c_char_p))),
    "acp_finalize": (c_int,),
    "acp_abort": (None, c_char_p),
    "acp_procs": (c_int,),
    "acp_rank": (c_int,),
    "acp_sync": (c_int,),
    "acp_register_memory": (c_uint64, c_void_p, c_size_t, c_int),
    "acp_unregister_memory": (c_int, c_uint64),
    "acp_query_ga": (c_uint64, c_uint64, c_void_p),
    "acp_query_rank": (c_int, c_uint64),
    "acp_query_address": (c_void_p, c_uint64),
    "acp_query_starter_ga": (c_uint64, c_int),
    "acp_malloc": (c_uint64, c_size_t, c_int),
    "acp_free": (None, c_uint64),
    "acp_copy": (c_uint64, _word, _word, _word, _word),
    "acp_complete": (None, _word),
    "acp_inquire": (c_int, _word),
    "goacp_python_begin": (None,),
    "goacp_python_complete": (c_int, _word, c_int),
    "goacp_python_ga": (c_uint64, c_void_p, _word),
    "goacp_python_put": (c_uint64, _word, c_void_p, _word),
    "goacp_python_get": (c_uint64, c_void_p, _word, _word),
    "acp_create_ch": (c_void_p, c_int, c_int),
    "acp_nbsend_ch": (c_void_p, c_void_p, c_void_p, c_size_t),
    "acp_nbrecv_ch": (c_void_p, c_void_p, c_void_p, c_size_t),
    "acp_nbfree_ch": (c_void_p, c_void_p),
    "acp_wait_ch": (c_size_t, c_void_p),
    "acp_jobs": (c_int,),
    "acp_seats": (c_int,),
    "acp_state": (c_int, c_int),
    "acp_cohort": (c_int, c_int),
    "acp_await_change": (c_int64, c_int64, c_double),
    "acp_epoch": (c_int,),
    "acp_epoch_ranks": (c_int, c_void_p, c_int),
    "acp_adopt": (c_int, c_int),
    "acp_asked": (c_int, c_int),
    "acp_ask_leave": (c_int, c_int),
    "acp_ask_join": (c_int, c_int),
    "acp_job": (c_int, c_int),
    "acp_job_name": (c_char_p, c_int),
    "acp_job_procs": (c_int, c_int),
    "acp_job_rank": (c_int, c_int, c_int),
    "acp_sync_ranks": (c_int, c_void_p, c_int),
    "acp_broadcast": (c_int, c_void_p, c_size_t, c_int, c_void_p, c_int),
    "acp_put_value": (c_int64, c_char_p, c_void_p, c_size_t),
    "acp_get_value": (c_int64, c_char_p, c_void_p, c_size_t, _int64s),
    "acp_wait_value": (c_int64, c_char_p, c_int64, c_void_p, c_size_t, _int64s),
    "acp_create_map": (MapHandle, c_int, _ints, c_int, c_int),
    "acp_destroy_map": (None, MapHandle),
    "acp_insert_many_map": (c_int, MapHandle, POINTER(Pair), c_int, _ints),
    "acp_remove_many_map": (c_int, MapHandle, POINTER(Element), c_int, _ints),
    "acp_retrieve_map": (c_size_t, MapHandle, Pair),
    "acp_find_map": (MapIterator, MapHandle, Element),
    "acp_begin_map": (MapIterator, MapHandle),
    "acp_increment_map_it": (MapIterator, MapIterator),
    "acp_dereference_map_it": (Pair, MapIterator),
    "acp_size_map": (c_size_t, MapHandle),
    "acp_clear_map": (None, MapHandle),
    "acp_error_number": (c_int,),
    "acp_error_message": (c_char_p,),
    "acp_version": (c_char_p,),
    "acp_library": (c_char_p,),
    "acp_mpi_name": (c_char_p,),
    "acp_set_timeout": (c_int, c_double),
    "acp_create_model": (c_void_p, c_char_p, c_void_p, c_int),
    "acp_seal_model": (c_int, c_void_p),
    "acp_create_field_ranges": (
        c_void_p, c_void_p, c_char_p, c_int, c_int, c_void_p, c_void_p, c_void_p, c_int,
    ),
    "acp_create_field_block": (
        c_void_p, c_void_p, c_char_p, c_int, c_int, c_void_p, c_int, _ints, _ints, _ints, _ints, c_int,
    ),
    "acp_create_field_list": (c_void_p, c_void_p, c_char_p, c_int, c_int, c_void_p, c_void_p, c_int64),
    "acp_mask_field": (c_int, c_void_p, c_void_p, c_int64),
    "acp_use_field": (c_int, c_void_p, c_void_p),
    "acp_free_field": (c_int, c_void_p),
    "acp_free_model": (c_int, c_void_p),
    "acp_begin_link_to": (c_void_p, c_void_p, c_char_p, c_int, c_int, c_double),
    "acp_begin_link_from": (c_void_p, c_void_p, c_char_p, c_int, c_int, c_double),
    "acp_begin_link_weighted_to": (c_void_p, c_void_p, c_char_p, *_matrix, c_int, c_int, c_double),
    "acp_begin_link_weighted_from": (c_void_p, c_void_p, c_char_p, *_matrix, c_int, c_int, c_double),
    "acp_begin_link_file_to": (c_void_p, c_void_p, c_char_p, c_char_p, c_int, c_int, c_double),
    "acp_begin_link_file_from": (c_void_p, c_void_p, c_char_p, c_char_p, c_int, c_int, c_double),
    "acp_complete_links": (c_int, POINTER(c_void_p), c_int),
    "acp_send_link": (c_int, c_void_p, c_int64),
    "goacp_python_send": (c_int, c_void_p, c_int64),
    "goacp_python_receive": (c_int, c_void_p, c_int64),
    "acp_isready_link": (c_int, c_void_p),
    "acp_close_link": (c_int, c_void_p),
    "acp_publish_link_to": (c_void_p, c_void_p, c_char_p, c_int),
    "acp_publish_link_weighted_to": (c_void_p, c_void_p, c_char_p, *_matrix, c_int),
    "acp_publish_link_file_to": (c_void_p, c_void_p, c_char_p, c_char_p, c_int),
    "acp_watch_link_from": (c_void_p, c_void_p, c_char_p, c_double),
    "acp_watch_link_weighted_from": (c_void_p, c_void_p, c_char_p, *_matrix, c_double),
    "acp_watch_link_file_from": (c_void_p, c_void_p, c_char_p, c_char_p, c_double),
    "acp_next_link": (c_int, c_void_p, _int64s, c_double),
    "acp_open_links": (c_void_p, c_void_p, c_double),
    "acp_send_links": (c_int, c_void_p, c_int64),
    "acp_receive_links": (c_int, c_void_p, c_int64),
    "acp_query_watched_link": (c_void_p, c_void_p, c_char_p),
    "acp_close_links": (c_int, c_void_p),
    "acp_reduce_link": (c_int, c_void_p, c_int),
    "acp_lag_link": (c_int, c_void_p, c_int),
    "acp_initialize_link": (c_int, c_void_p, c_int64, c_char_p),
    "acp_interpolate_link": (c_int, c_void_p),
    "acp_scale_link": (c_int, c_void_p, c_double, c_double),
    "acp_conserve_field": (c_int, c_void_p, c_int, c_void_p, c_int64),
    "acp_save_link": (c_int, c_void_p, c_char_p),
    "acp_load_link": (c_int, c_void_p, c_char_p, _int64s),
    "acp_save_links": (c_int, c_void_p, c_char_p),
    "acp_load_links": (c_int, c_void_p, c_char_p, _int64s),
    "acp_create_grid": (c_void_p, c_void_p, c_void_p, c_int, _ints, c_int),
    "acp_set_grid_corners": (c_int, c_void_p, c_void_p, c_void_p, c_int),
    "acp_mask_grid": (c_int, c_void_p, c_void_p, c_int64),
    "acp_free_grid": (c_int, c_void_p),
    "acp_make_weights": (c_void_p, c_void_p, c_void_p, c_int, c_int, c_void_p, c_int64),
    "acp_count_weights": (c_int64, c_void_p),
    "acp_query_weights": (c_int, c_void_p, c_void_p, c_void_p, c_void_p),
    "acp_free_weights": (c_int, c_void_p),
    "acp_create_implicit": (c_void_p, c_void_p, c_char_p, c_int),
    "acp_add_implicit": (c_int, c_void_p, c_char_p, c_void_p, c_int64),
    "acp_measure_implicit": (c_int, c_void_p, c_char_p, c_int, c_double),
    "acp_accelerate_implicit": (c_int, c_void_p, c_int, c_double, c_int, c_int),
    "acp_limit_implicit": (c_int, c_void_p, c_int),
    "acp_keep_implicit": (c_int, c_void_p, c_void_p, c_int64),
    "acp_begin_implicit": (c_int, c_void_p, _int64s),
    "acp_iterate_implicit": (c_int, c_void_p, _int64s),
    "acp_query_implicit": (c_int, c_void_p, POINTER(c_int), POINTER(c_int)),
    "acp_free_implicit": (c_int, c_void_p),
    "acp_query_model_times": (c_int, c_void_p, _doubles, _doubles),
    "acp_query_link_times": (c_int, c_void_p, _int64s, _doubles),
    "acp_record_link": (c_int, c_void_p, c_char_p, c_int),
}

for _name in ("add", "and", "or", "xor", "swap"):
    SIGNATURES[f"acp_{_name}4"] = (c_uint64, _word, _word, c_uint32, _word)
    SIGNATURES[f"acp_{_name}8"] = (c_uint64, _word, _word, _word, _word)
SIGNATURES["acp_cas4"] = (c_uint64, _word, _word, c_uint32, c_uint32, _word)
SIGNATURES["acp_cas8"] = (c_uint64, _word, _word, _word, _word, _word)


class Api:
    """The functions of a loaded library by their names in C. A call releases the GIL."""

    def __init__(self, family: Optional[str]) -> None:
        """Load the library for an MPI, or without MPI if family is None."""
        library = _find.load(family)
        for name, (result, *parameters) in SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, parameters
            setattr(self, name, function)
        self._errno = ctypes.c_int.in_dll(library, "ACP_ERRNO")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name} is not in _api.SIGNATURES")

    def forget_failure(self) -> None:
        """Set ACP_ERRNO to 0."""
        self._errno.value = 0

    def failure(self, function: str) -> errors.Error:
        """Return the exception for the last failure in this thread, of a function."""
        return errors.make(function, self.acp_error_number(), self.acp_error_message().decode(errors="replace"))

    def check(self, function: str, result: Any, failure: Any = -1) -> Any:
        """Return the result of a function, or raise Error if it is failure."""
        if result == failure:
            raise self.failure(function)
        return result

    def call(self, function: str, *arguments: Any, failure: Any = -1) -> Any:
        """Call a function, and return its result. Raises Error if that is failure."""
        return self.check(function, getattr(self, function)(*arguments), failure)
