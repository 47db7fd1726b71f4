"""test_cuda_launches.py: the library itself over the fake driver: products of arrays on a GPU are launched on their stream, and nothing
is allocated, copied or waited for. SPDX-License-Identifier: MIT"""
import os
import subprocess
import sys
import unittest

import numpy as np

import fake_gpu
import gradus
from fake_gpu import OTHER, CupyArray, Tensor_, state


class Launches(unittest.TestCase):
    def test_launch(self):
        fake_gpu.driver.fake_stream.restype = fake_gpu.ctypes.c_void_p
        for kind in CupyArray, Tensor_:
            state["stream"] = {0: OTHER, 1: fake_gpu.new_stream()}
            a, b, out = (kind(np.ones((64, 64), "f4"), 1) for _ in "abc")
            gradus.matmul(a, b, out=out, math="ieee")
            before = [fake_gpu.calls(what) for what in ("launch", "alloc", "copy", "sync", "wait")]
            gradus.matmul(a, b, out=out, math="ieee")
            self.assertEqual([fake_gpu.calls(what) for what in ("alloc", "copy", "sync", "wait")], before[1:])
            self.assertGreater(fake_gpu.calls("launch"), before[0])
            self.assertEqual((fake_gpu.driver.fake_stream(), fake_gpu.driver.fake_device()), (state["stream"][1], 1))
            with self.assertRaises(ValueError) as caught:
                gradus.matmul(a, b, out=a)
            self.assertIn("c", str(caught.exception))
            self.assertEqual(state["live"], 0)

    def test_no_driver(self):
        """A host without a GPU, whose arrays say that they are on one."""
        for kind, text in ("Tensor_", "gradus"), ("WithInterface", "no driver of CUDA that works"):
            code = f"""if True:
                import fake_gpu, numpy as np, os
                a, b, c = (fake_gpu.{kind}(np.ones((2, 2), "f4")) for _ in "abc")
                os.environ["GRADUS_CUDA_DRIVER"] = "/nonexistent"
                import gradus
                gradus.matmul(a, b, out=c)"""
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
            self.assertIn("NotImplementedError: gradus", done.stderr.splitlines()[-1])
            self.assertIn(text, done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
