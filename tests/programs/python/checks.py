"""Checks of the test programs in this folder."""


def fails(error, call, *arguments, **options):
    """Check that a call raises an error, and return its text."""
    try:
        call(*arguments, **options)
    except error as problem:
        return str(problem)
    raise AssertionError(f"{call} has not raised {error}")
