"""Which settings keep numpy and OpenBLAS from AVX-512, so that sums are added as without it?

Prints one setting per line, for `env`; nothing where the processor has no AVX-512.
"""

import platform

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

# numpy warns of a name that it does not know, or that the processor lacks.
wide = [
    name
    for name in __cpu_dispatch__
    if (name.startswith("AVX512") or name == "X86_V4") and __cpu_features__.get(name)
]
if wide:
    print("NPY_DISABLE_CPU_FEATURES=" + ",".join(wide))
    if platform.machine().lower() in ("x86_64", "amd64"):
        print("OPENBLAS_CORETYPE=Haswell")
