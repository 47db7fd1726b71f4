#!/usr/bin/env python3
"""library_torch.py: gradus.matmul of PyTorch's tensors and CuPy's arrays on a real GPU: values against float64, streams, graphs,
gradients, torch.compile, and the time of a call beside torch.matmul. The last lines are a table. Ends with 1 if anything is wrong, with 77
where there is no PyTorch or no GPU.

    PYTHONPATH=build:python GRADUS_LIBRARY=build/libgradus.so.0 python3 tests/gpu/library_torch.py [inductor | warm KIND-TRANS]

`warm` computes a product of each kernel of a kind (ieee, accurate, …, f64, bf16, f16), so that its code is in the cache. SPDX-License-Identifier: MIT"""
import sys
import time
import traceback

try:
    import torch
except ImportError:
    print("skip: no PyTorch (pip install torch)")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skip: PyTorch finds no GPU")
    sys.exit(77)

import gradus

torch.backends.cuda.matmul.allow_tf32 = False
gpu = torch.device("cuda")
random = torch.Generator(device=gpu).manual_seed(3)
rows = []
MATHS = "default", "ieee", "accurate", "scaled", "tf32"
EPS = {torch.float32: 2.0**-23, torch.float64: 2.0**-52}


def numbers(*shape, dtype=torch.float32):
    return (2 * torch.rand(*shape, generator=random, device=gpu, dtype=torch.float64) - 1).to(dtype)


def error(got, a, b, want=None):
    """The largest error in units of eps * sum|a||b|."""
    a, b = a.double(), b.double()
    want = a @ b if want is None else want
    size = (a.abs() @ b.abs()).clamp_min(1e-30)
    return float(((got.double() - want).abs() / size).max() / EPS[torch.float64 if got.dtype == torch.float64 else torch.float32]) if got.numel() else 0.0


def row(name):
    """The function's result is a line of the table; an exception is a failure."""

    def run(function):
        begin = time.perf_counter()
        try:
            said, good = function() or "", True
        except Exception as wrong:  # noqa: BLE001: the table has all of them
            traceback.print_exc()
            said, good = f"{type(wrong).__name__}: {str(wrong).splitlines()[0][:100] if str(wrong) else ''}", False
        rows.append((good, name, said, time.perf_counter() - begin))
        print(f"{'ok  ' if good else 'FAIL'} {name}: {said}", flush=True)

    return run


def warm(word):
    kind, trans = word.split("-")
    dtype = {"f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}.get(kind, torch.float32)
    sizes = (96, 1024, 1) if kind in ("ieee", "bf16", "f16") else (96,)
    for size in sizes:
        a, b = numbers(size, size * 1 if size > 1 else 64, dtype=dtype), numbers(size if size > 1 else 64, max(size, 8), dtype=dtype)
        for math in (kind if kind in MATHS else "default",):
            gradus.matmul(a.T.contiguous().T if trans[0] == "t" else a, b.T.contiguous().T if trans[1] == "t" else b, math=math, activation="relu")
        if kind in ("bf16", "f16"):
            gradus.matmul(a, b, out=torch.empty(a.shape[0], b.shape[1], dtype=dtype, device=gpu), activation="relu")
    torch.cuda.synchronize()


if sys.argv[1:2] == ["warm"]:
    warm(sys.argv[2])
    sys.exit(0)


@row("float32, all maths, transposes")
def _():
    worst = {}
    for math in MATHS:
        for m, n, k in ((300, 200, 100), (1024, 1024, 1024), (65, 1, 33), (1, 70, 500), (129, 257, 1000)):
            for trans_a in (False, True):
                for trans_b in (False, True):
                    a, b = numbers(*((k, m) if trans_a else (m, k))), numbers(*((n, k) if trans_b else (k, n)))
                    got = gradus.matmul(a, b, trans_a=trans_a, trans_b=trans_b, math=math)
                    assert got.device == a.device and got.shape == (m, n)
                    found = error(got, a.T if trans_a else a, b.T if trans_b else b)
                    bound = 8202 + k / 3 if math == "tf32" else k / 2 + 2 if math == "ieee" else max(16 + k / 64, k / 2) + 2
                    assert found <= bound, (math, m, n, k, trans_a, trans_b, found)
                    assert torch.equal(gradus.matmul(a.T if trans_a else a, b.T if trans_b else b, math=math), got), "views differ"
                    worst[math] = max(worst.get(math, 0), found)
    return ", ".join(f"{math} {found:.2f}" for math, found in worst.items()) + " eps sum|a||b|"


@row("float64, bfloat16, float16")
def _():
    said = []
    for dtype, k in ((torch.float64, 300), (torch.bfloat16, 512), (torch.float16, 512)):
        a, b = numbers(256, k, dtype=dtype), numbers(k, 192, dtype=dtype)
        got = gradus.matmul(a, b)
        assert got.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
        found = error(got, a, b)
        assert found <= 8 + k, (dtype, found)
        said.append(f"{str(dtype)[6:]} {found:.2f}")
        if dtype != torch.float64:
            out = torch.empty(256, 192, dtype=dtype, device=gpu)
            assert gradus.matmul(a, b, out=out) is out
            want = a.double() @ b.double()
            assert ((out.double() - want).abs() <= want.abs() * (2.0**-8 if dtype == torch.bfloat16 else 2.0**-11) + 1e-3).all()
    return ", ".join(said)


@row("views, offsets, batches, zero sizes, out, beta")
def _():
    whole = numbers(600, 700)
    a, b, out = whole[3:130, 1:202], whole[205:406, 13:220], whole[410:537, 221:428]
    before, rest, want = out.clone(), whole.clone(), a.double() @ b.double()
    gradus.matmul(a, b, out=out, alpha=2, beta=0.5)
    assert (out.double() - 2 * want - 0.5 * before.double()).abs().max() < 1e-3
    rest[410:537, 221:428] = out
    assert torch.equal(rest, whole)
    for left, right in (((9, 40, 50), (50, 30)), ((9, 40, 50), (9, 50, 30)), ((2, 3, 4, 5), (2, 1, 5, 3)), ((5, 64, 64), (5, 64, 64)), ((50,), (9, 50, 30))):
        x, y = numbers(*left), numbers(*right)
        got = gradus.matmul(x, y)
        assert got.shape == torch.matmul(x, y).shape
        assert (got.double() - x.double() @ y.double()).abs().max() < 1e-4, (left, right)
    heads = numbers(4, 100, 8, 32).transpose(1, 2)  # as in attention: (4, 8, 100, 32)
    scores = gradus.matmul(heads, heads, trans_b=True)
    assert (scores.double() - heads.double() @ heads.double().transpose(-1, -2)).abs().max() < 1e-4
    for m, n, k in ((0, 3, 2), (3, 0, 2), (3, 2, 0)):
        assert torch.equal(gradus.matmul(numbers(m, k), numbers(k, n)), torch.zeros(m, n, device=gpu))


@row("bias and activations")
def _():
    a, b, bias = numbers(200, 300), numbers(300, 100), numbers(100)
    x = a.double() @ b.double() + bias.double()
    functions = {None: x, "relu": x.relu(), "gelu": torch.nn.functional.gelu(x), "gelu_tanh": torch.nn.functional.gelu(x, approximate="tanh")}
    worst = {}
    for name, want in functions.items():
        got = gradus.matmul(a, b, bias=bias, activation=name)
        worst[name] = float((got.double() - want).abs().max())
        assert worst[name] < 3e-5, (name, worst)
    assert (gradus.matmul(a, b, bias=numbers(200, 1)).double() - a.double() @ b.double()).abs().max() > 0.5
    return ", ".join(f"{name} {found:.1e}" for name, found in worst.items())


@row("which GELU cuBLASLt has")
def _():
    a, b, bias = numbers(256, 512), numbers(512, 256), numbers(256)
    got = torch._addmm_activation(bias, a, b, use_gelu=True).double()
    x = bias.double() + a.double() @ b.double()
    tanh, erf = ((got - torch.nn.functional.gelu(x, approximate=how)).abs().max() for how in ("tanh", "none"))
    return f"torch._addmm_activation differs from tanh by {float(tanh):.1e}, from erf by {float(erf):.1e}"


SLEEP = 100_000_000  # cycles, about 50 ms


@row("current stream, no waiting")
def _():
    stream = torch.cuda.Stream()
    a, b = numbers(512, 512), numbers(512, 512)
    gradus.matmul(a, b)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(SLEEP)
        x = a * 2  # after the sleep
        begin = time.perf_counter()
        y = gradus.matmul(x, b)
        took = time.perf_counter() - begin
        z = y + 1
        assert not stream.query(), "the GPU does not sleep"
    stream.synchronize()
    assert (z.double() - 1 - 2 * (a.double() @ b.double())).abs().max() < 1e-3
    assert took < 0.02, took
    return f"the call returned after {took * 1e6:.0f} us, with 50 ms of work before it"


@row("a stream that is given")
def _():
    stream = torch.cuda.Stream()
    a, b = numbers(512, 512), numbers(512, 512)
    torch.cuda.synchronize()
    torch.cuda._sleep(SLEEP)
    x = a * 2  # on the current stream: the given one waits for it
    y = gradus.matmul(x, b, stream=stream)
    z = gradus.matmul(x, b, stream=stream.cuda_stream)
    assert not stream.query()
    stream.synchronize()
    assert (y.double() - 2 * (a.double() @ b.double())).abs().max() < 1e-3
    assert torch.equal(y, z)


@row("CUDA graphs")
def _():
    a, b, out = numbers(600, 500), numbers(500, 400), torch.empty(600, 400, device=gpu)
    for math in MATHS:
        gradus.matmul(a, b, out=out, math=math)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            gradus.matmul(a, b, out=out, math=math)
            other = gradus.matmul(out, b[:400], activation="relu", math=math)
        for _ in range(3):
            a.copy_(numbers(600, 500))
            out.zero_()
            graph.replay()
            torch.cuda.synchronize()
            assert (out.double() - a.double() @ b.double()).abs().max() < (0.1 if math == "tf32" else 1e-3), math
            want = (out.double() @ b[:400].double()).relu()
            assert (other.double() - want).abs().max() < (2 if math == "tf32" else 2e-2), math
        del graph, other
    return "each math, with memory for its kernels"


@row("autograd")
def _():
    worst = 0.0
    for shapes in (((64, 50), (50, 30)), ((3, 64, 50), (50, 30)), ((50,), (50, 30)), ((3, 64, 50), (3, 50, 30))):
        for dtype in (torch.float32, torch.float64):
            x, y = (numbers(*shape, dtype=dtype).requires_grad_() for shape in shapes)
            gradus.matmul(x, y, activation="gelu_tanh").sum().backward()
            u, v = (t.detach().double().requires_grad_() for t in (x, y))
            torch.nn.functional.gelu(torch.matmul(u, v), approximate="tanh").sum().backward()
            worst = max(worst, float((x.grad - u.grad).abs().max()), float((y.grad - v.grad).abs().max()))
            assert worst < 1e-3
    x, y = numbers(64, 50).requires_grad_(), numbers(50, 30).requires_grad_()
    stream = torch.cuda.Stream()
    gradus.matmul(x, y, stream=stream, math="ieee").sum().backward()
    torch.cuda.synchronize()
    half = numbers(64, 64, dtype=torch.bfloat16).requires_grad_()
    gradus.matmul(half, half.detach()).sum().backward()
    assert half.grad.dtype == torch.bfloat16
    return f"largest difference {worst:.1e}"


@row("torch.compile")
def _():
    import gradus.torch  # noqa: F401

    a, b = numbers(128, 64), numbers(64, 96)

    def work(x, y):
        return torch.ops.gradus.matmul(x.sin(), y).relu() + 1

    want = work(a, b)
    said = []
    for backend in ("aot_eager", "inductor") if sys.argv[1:] == ["inductor"] else ("aot_eager",):
        begin = time.perf_counter()
        try:
            got = torch.compile(work, backend=backend, fullgraph=True)(a, b)
        except Exception as wrong:  # inductor needs a C compiler
            assert backend == "inductor"
            said.append(f"inductor cannot here ({type(wrong).__name__})")
            continue
        assert torch.allclose(got, want, atol=1e-5)
        said.append(f"{backend} {time.perf_counter() - begin:.1f} s")
    return ", ".join(said)


@row("refusals")
def _():
    a, b = numbers(64, 64), numbers(64, 64)

    def refused(kind, text, *operands, **options):
        try:
            gradus.matmul(*operands, **options)
        except kind as wrong:
            assert text in str(wrong) and "\n" not in str(wrong), wrong
            return
        raise AssertionError(f"not refused: {text}")

    refused(ValueError, "b: found an array in the host's memory", a, b.cpu())
    refused(ValueError, "wanted one in the host's memory", a.cpu(), b)
    refused(TypeError, "wanted the same", a, b.double())
    refused(TypeError, "on a GPU, wanted float32", a.to(torch.int8), b.to(torch.int8))
    refused(ValueError, "strides", a[::2, ::2], b[:32])
    refused(ValueError, "in common", a, b, out=a)
    refused(ValueError, "stream: found one for an array in the host's memory", a.cpu(), b.cpu(), stream=torch.cuda.current_stream())


@row("CuPy")
def _():
    try:
        import cupy
    except ImportError:
        return "is not here"
    a, b = cupy.asarray(numbers(300, 200)), cupy.asarray(numbers(200, 100))
    stream = cupy.cuda.Stream(non_blocking=True)
    torch.cuda.synchronize()
    with stream:
        x = a * 2
        y = gradus.matmul(x, b)
        assert isinstance(y, cupy.ndarray)
        z = y + 1
    stream.synchronize()
    want = 2 * (a.astype("f8") @ b.astype("f8"))
    assert float(cupy.abs(z - 1 - want).max()) < 1e-4
    y = gradus.matmul(a.T, b.T, trans_a=True, trans_b=True, stream=stream)
    stream.synchronize()
    assert float(cupy.abs(2 * y - want).max()) < 1e-4
    mixed = gradus.matmul(a, torch.from_dlpack(b))
    assert isinstance(mixed, cupy.ndarray) and float(cupy.abs(2 * mixed - want).max()) < 1e-4

    class Interface:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    out = cupy.empty((300, 100), "f4")
    gradus.matmul(Interface(a), Interface(b), out=Interface(out))
    cupy.cuda.Device().synchronize()
    assert float(cupy.abs(2 * out - want).max()) < 1e-4
    calls = 1000
    times = []
    for run in (lambda: cupy.matmul(a, b, out=out), lambda: gradus.matmul(a, b, out=out)):
        run()
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            run()
        cupy.cuda.Device().synchronize()
        times.append((time.perf_counter() - begin) / calls * 1e6)
    return f"version {cupy.__version__}; 300x100x200 with out: cupy.matmul {times[0]:.1f} us, gradus.matmul {times[1]:.1f} us"


def times_of(size, dtype):
    """Microseconds a call: of the host while the GPU sleeps, and back to back until the GPU has done all."""
    a, b = numbers(size, size, dtype=dtype), numbers(size, size, dtype=dtype)
    out = torch.empty(size, size, device=gpu, dtype=dtype)
    found = []
    for run in (lambda: torch.matmul(a, b), lambda: gradus.matmul(a, b), lambda: torch.matmul(a, b, out=out), lambda: gradus.matmul(a, b, out=out)):
        run()
        torch.cuda.synchronize()
        best, calls = [], 200 if size < 2048 else 20
        for _ in range(5):
            begin = time.perf_counter()
            for _ in range(calls):
                run()
            queued = time.perf_counter()
            torch.cuda.synchronize()
            best.append(((queued - begin) / calls * 1e6, (time.perf_counter() - begin) / calls * 1e6))
        found.append(sorted(best)[2])
    return found


for dtype, sizes in ((torch.float32, (64, 512, 2048, 4096)), (torch.float64, (64, 1024)), (torch.bfloat16, (64, 1024))):
    for size in sizes:

        @row(f"time {str(dtype)[6:]} {size}")
        def _(size=size, dtype=dtype):
            found = times_of(size, dtype)
            return "us, host (all): " + ", ".join(f"{name} {host:.1f} ({all_:.1f})" for name, (host, all_) in zip(
                ("torch", "gradus", "torch out", "gradus out"), found))


print(f"\n{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, gradus {gradus.version()} from {gradus.library()}")
for good, name, said, took in rows:
    print(f"{'ok  ' if good else 'FAIL'} {took:5.1f} s  {name:45} {said}")
sys.exit(not all(good for good, *_ in rows))
