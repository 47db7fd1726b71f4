"""distributed_cases.py: products that ranks compute together, and what they refuse; over threads, mpi4py and torch.distributed
alike. Elements are small whole numbers, so that products are exact. SPDX-License-Identifier: MIT"""
import numpy as np

from gradus import distributed as gd


def whole(rows, cols, seed, dtype):
    """The same on all ranks."""
    return np.random.default_rng(seed).integers(-8, 9, (rows, cols)).astype(dtype)


def part(layout, x, rank, convert):
    return layout.of(convert(np.array(x[np.ix_(*layout.indices(rank))], order=layout.order)))


def layouts(shape, size):
    """All kinds, over all ranks and over some."""
    yield gd.Replicated(shape)
    yield gd.Replicated(shape, order="F")
    yield gd.Blocked(shape, (size, 1))
    yield gd.Blocked(shape, (1, size), order="F")
    yield gd.Cyclic(shape, (3, 5), (size, 1))
    yield gd.Cyclic(shape, (4, 2), (1, 1))
    if size >= 4:
        yield gd.Blocked(shape, (2, 2), grid_order="F")
        yield gd.Cyclic(shape, (2, 3), (2, 2), source=(1, 0), grid_order="F")


def check(found, layout, right, rank):
    x = np.asarray(found.local)
    np.testing.assert_array_equal(x, right[np.ix_(*layout.indices(rank))])


def products(comm, convert=lambda x: x):
    """Every kind of layout of A, B and C once with each kind of another one."""
    rank, size = comm.rank, comm.size
    m, n, k = 23, 17, 29
    count = len(list(layouts((m, n), size)))
    for i in range(count * 3):
        dtype, trans_a, trans_b = ("float32", "float64")[i % 2], i % 3 == 1, i % 5 < 2
        a, b, c = whole(m, k, 1, dtype), whole(k, n, 2, dtype), whole(m, n, 3, dtype)
        stored = a.T if trans_a else a, b.T if trans_b else b
        la, lb = (list(layouts(x.shape, size))[(i + at) % count] for at, x in enumerate(stored))
        lc = list(layouts((m, n), size))[(i * 2 + i // count) % count]
        mine = [part(layout, x, rank, convert) for layout, x in zip((la, lb), stored)]
        made = gd.matmul(*mine, lc, comm, trans_a=trans_a, trans_b=trans_b, threads=1, dtype=dtype) if i % 2 == 0 or 0 not in lc.local_shape(rank) \
            else gd.matmul(*mine, part(lc, 0 * c, rank, convert), comm, trans_a=trans_a, trans_b=trans_b, threads=1)
        check(made, lc, a @ b, rank)
        out = part(lc, c, rank, convert)
        same = gd.matmul(*mine, out, comm, alpha=2, beta=-1, trans_a=trans_a, trans_b=trans_b, threads=1, memory=100000)
        assert same is out
        check(out, lc, 2 * (a @ b) - c, rank)


def refused(comm, kind, text, call):
    """All ranks raise the same line, which holds the text."""
    try:
        call()
    except kind as failed:
        line = str(failed)
        assert text in line and "\n" not in line, (text, line)
        return line
    raise AssertionError(f"rank {comm.rank}: nothing was raised, wanted {text!r}")


def mistakes(comm, convert=lambda x: x):
    """One rank, the last, makes a mistake; the communicator serves the next product all the same. Returns the lines."""
    rank, size, lines = comm.rank, comm.size, []
    wrong = rank == size - 1
    shape = (12, 12)
    layout = gd.Blocked(shape, (size, 1))
    x = whole(*shape, 4, "float64")
    mine = part(layout, x, rank, convert)

    def case(text, kind=ValueError, a=mine, b=mine, out=layout, right_out=layout, **options):
        call = (lambda: gd.matmul(a, b, out, comm, threads=1, **options)) if wrong else (lambda: gd.matmul(mine, mine, right_out, comm, threads=1))
        lines.append(refused(comm, kind, text, call))
        check(gd.matmul(mine, mine, layout, comm, threads=1), layout, x @ x, rank)

    who = f"rank {size - 1}: "
    rows = layout.local_shape(rank)[0]
    case(who + "matmul: a: found a local array of", a=layout.of(convert(np.zeros((rows + 1, 12)))))
    case(who + "matmul: b: found dtype int32, wanted float32 or float64", b=layout.of(convert(np.zeros((rows, 12), "int32"))))
    case(who + "matmul: found dtypes float32 of a, float64 of b", a=layout.of(convert(np.zeros((rows, 12), "float32"))))
    case(who + "matmul: a: found strides of", a=layout.of(convert(np.zeros((rows, 24)))[:, ::2]))
    case(who + "matmul: b: found None", b=layout.of(None))
    case(who + "matmul: found shapes", b=part(gd.Replicated((11, 12)), whole(11, 12, 5, "float64"), rank, convert))
    case(who + "matmul: a: found <class 'list'>", a=[1])
    case(who + "matmul: beta: found one with a layout", beta=1)
    case(who + "gemm_dist: A: grid: found 99x1", a=gd.Blocked(shape, (99, 1)).of(convert(np.zeros(gd.Blocked(shape, (99, 1)).local_shape(rank)))))
    if size > 1:
        case("ranks ask for different products", out=gd.Replicated(shape))
        case("ranks ask for different products", out=gd.Blocked(shape, (1, size), order="F"))
        case("ranks ask for different products", alpha=3)
        case("ranks ask for different products", memory=1 << 30)
        narrow = part(layout, x.astype("float32"), rank, convert)
        case("ranks ask for different products", a=narrow, b=narrow)
        bigger = part(gd.Replicated((13, 12)), whole(13, 12, 6, "float64"), rank, convert)
        case("ranks ask for different products", a=bigger, out=gd.Replicated((13, 12)))
    return lines
