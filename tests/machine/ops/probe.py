# probe.py: makes fchk.cubin, carry1.cubin and carry2.cubin of probe_ops.cubin, which nvcc 13.0 made of
# probe_ops.cu for sm_90a. SPDX-License-Identifier: MIT
#
# fchk: 0 where FCHK says that f0 / f1 needs the slow path, else 1. carry1, carry2: the second word
# is the first or the second carry of IADD3 r0 + r1 + r2.
import struct


def patch(result, *replacements):
    code = open('probe_ops.cubin', 'rb').read()
    for old, new in replacements:
        assert code.count(struct.pack('<QQ', *old)) == 1
        code = code.replace(struct.pack('<QQ', *old), struct.pack('<QQ', *new))
    open(result, 'wb').write(code)


patch('fchk.cubin',
      ((0x000000050200720b, 0x004fc80003f0e000), (0x0000000502007302, 0x004e6a0000000000)),
      ((0x00000001ff097807, 0x000fca0000000000), (0x00000001ff097807, 0x002fca0000000000)))
sum2, sum3 = (0x0000000502117210, 0x008fc80007f1e0ff), 0x018fc80007f1e007
patch('carry1.cubin', (sum2, (sum2[0], sum3)))
patch('carry2.cubin', (sum2, (sum2[0], sum3 & ~(0x3f << 17) | 7 << 17)))
