// The kernels of the package as a library for CPUs.
#include "emulation.hpp"

#include "count.cu"

KERNEL(gather)
KERNEL(count_codes)
KERNEL(answer)
KERNEL(count_pairs)
KERNEL(count_rules)
KERNEL(follow)
KERNEL(find_slots)
KERNEL(move)
