"""numpy_calls.py run | check REPORT: products by NumPy and SciPy, and what must reach BLAS's gemm of them.

`run` computes each product below, and compares it with an exact one: elements are small whole numbers. `check` reads the
report that `gradus exec --format json` made of it: the calls that it lists must be these and no others. Each product has a
first size of its own, by which its calls are known. GEMM_CBLAS and GEMM_FORTRAN say by which names NumPy and SciPy call
it, with %s for the type, where they are not BLAS's own. SPDX-License-Identifier: MIT
"""
import json
import os
import sys

import numpy as np

CBLAS, FORTRAN = os.environ.get("GEMM_CBLAS", "cblas_%sgemm"), os.environ.get("GEMM_FORTRAN", "%sgemm_")
D, S = CBLAS % "d", CBLAS % "s"
rng = np.random.default_rng(1)


def whole(*shape, dtype="f8", order="C"):
    return np.asarray(rng.integers(-8, 9, shape), dtype=dtype, order=order)


def same(found, a, b):
    """einsum without optimisation calls no BLAS."""
    wanted = np.einsum("...ij,...jk->...ik", a.astype("i8"), b.astype("i8"))
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    assert np.array_equal(found, wanted), "a wrong product"


# name, what computes it, the calls: [(routine, layout, trans, m, n, k, times)]
cases = []


def case(*calls):
    return lambda function: cases.append((function, calls))


@case((D, "row", "nn", 11, 5, 7, 1))
def plain():
    a, b = whole(11, 7), whole(7, 5)
    same(a @ b, a, b)


@case((S, "row", "nn", 12, 5, 7, 1))
def single():
    a, b = whole(12, 7, dtype="f4"), whole(7, 5, dtype="f4")
    same(a @ b, a, b)


@case((D, "row", "tn", 13, 5, 7, 1), (D, "row", "nt", 14, 5, 7, 1), (D, "row", "tt", 15, 5, 7, 1))
def transposed():
    for m, turn_a, turn_b in ((13, 1, 0), (14, 0, 1), (15, 1, 1)):
        a = whole(7, m).T if turn_a else whole(m, 7)
        b = whole(5, 7).T if turn_b else whole(7, 5)
        same(a @ b, a, b)


@case((D, "row", "tt", 16, 5, 7, 1))
def column_major():
    a, b = whole(16, 7, order="F"), whole(7, 5, order="F")
    same(a @ b, a, b)


@case((D, "row", "nn", 17, 5, 7, 1), (D, "row", "nn", 18, 5, 7, 1))
def sliced():
    a, b = whole(40, 30), whole(30, 20)
    same(a[3:20, 4:11] @ b[5:12, 6:11], a[3:20, 4:11], b[5:12, 6:11])
    same(a[:36:2, 4:11] @ b[5:12, 6:11], a[:36:2, 4:11], b[5:12, 6:11])  # every other row: a leading dimension


# Since 2.3 NumPy copies these and calls BLAS; before, it multiplies them itself.
@case(*[(D, "row", "nn", 19, 5, 7, 1)] if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else [])
def every_other_column():
    a, b = whole(19, 14), whole(7, 5)
    same(a[:, ::2] @ b, a[:, ::2], b)


@case((D, "row", "nn", 20, 5, 7, 1))
def dot_of_every_other_column():
    """numpy.dot copies them and calls BLAS."""
    a, b = whole(20, 14), whole(7, 5)
    same(np.dot(a[:, ::2], b), a[:, ::2], b)


@case()
def by_its_own_transpose():
    """cblas_dsyrk."""
    a = whole(21, 7)
    same(a @ a.T, a, a.T)


@case()
def vectors():
    """cblas_dgemv and cblas_ddot."""
    a, x = whole(22, 7), whole(7)
    assert np.array_equal(a @ x, (a * x).sum(1))
    assert x @ x == (x * x).sum()


@case()
def whole_numbers_and_halves():
    """There is no BLAS for these types."""
    for dtype in ("i4", "i8", "f2"):
        a, b = whole(23, 7, dtype=dtype), whole(7, 5, dtype=dtype)
        same(a @ b, a, b)


@case((D, "row", "nn", 24, 5, 7, 6))
def stacked():
    a, b = whole(2, 3, 24, 7), whole(7, 5)
    same(a @ b, a, b)


@case((D, "row", "nn", 25, 5, 7, 1))
def out():
    a, b, c = whole(25, 7), whole(7, 5), np.full((25, 5), np.nan)
    assert np.matmul(a, b, out=c) is c
    same(c, a, b)


@case((D, "row", "nn", 26, 5, 7, 1))
def tensordot():
    a, b = whole(26, 7), whole(7, 5)
    same(np.tensordot(a, b, 1), a, b)


@case((D, "row", "nn", 300, 200, 100, 1))
def larger():
    a, b = whole(300, 100), whole(100, 200)
    same(a @ b, a, b)


@case((D, "row", "nn", 27, 5, 7, 1))
def by_a_child():
    pid = os.fork()
    if pid == 0:
        a, b = whole(27, 7), whole(7, 5)
        try:
            same(a @ b, a, b)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


if os.environ.get("WITH_SCIPY"):
    from scipy.linalg import blas

    @case((FORTRAN % "d", "col", "nn", 31, 5, 7, 1), (FORTRAN % "s", "col", "tn", 32, 5, 7, 1))
    def scipy_blas():
        a, b = whole(31, 7, order="F"), whole(7, 5, order="F")
        same(blas.dgemm(1.0, a, b), a, b)
        a, b = whole(7, 32, dtype="f4", order="F"), whole(7, 5, dtype="f4", order="F")
        same(blas.sgemm(1.0, a, b, trans_a=1), a.T, b)


if os.environ.get("WITH_SKLEARN"):
    from sklearn.metrics import pairwise_distances_argmin

    @case((FORTRAN % "d", "col", "tn", 33, 34, 7, 1))
    def nearest_points():
        """scikit-learn calls SciPy's, by scipy.linalg.cython_blas."""
        x, y = whole(34, 7), whole(33, 7)
        distances = ((x[:, None, :] - y[None, :, :]) ** 2).sum(2)
        found = pairwise_distances_argmin(x, y)
        assert np.array_equal(distances[np.arange(34), found], distances.min(1))


def check(path):
    with open(path) as file:
        report = json.load(file)
    key = ("routine", "layout", "trans", "m", "n", "k", "calls")
    found = {tuple(shape[name] for name in key) for shape in report["shapes"]}
    wanted = {call for _, calls in cases for call in calls}
    for what, calls in (("missing", wanted - found), ("not expected", found - wanted)):
        for call in sorted(calls):
            print(f"{what}: {call}")
    assert report["calls"] == sum(call[6] for call in wanted) or found != wanted, "shapes and sum differ"
    return found != wanted


if sys.argv[1] == "check":
    sys.exit(check(sys.argv[2]))
for function, _ in cases:
    try:
        function()
    except AssertionError as error:
        sys.exit(f"{function.__name__}: {error}")
