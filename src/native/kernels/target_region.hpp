// Opens a region whose functions may use an instruction set that the rest of the build does not.
// Kernel files include their headers first, so that no shared inline function is compiled with it.
#pragma once

#define BSNSING_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#define BSNSING_TARGET_BEGIN(gcc_flags, clang_flags) \
    BSNSING_PRAGMA(clang attribute push(__attribute__((target(clang_flags))), apply_to = function))
#define BSNSING_TARGET_END BSNSING_PRAGMA(clang attribute pop)
#else
#define BSNSING_TARGET_BEGIN(gcc_flags, clang_flags) \
    BSNSING_PRAGMA(GCC push_options) BSNSING_PRAGMA(GCC target(gcc_flags))
#define BSNSING_TARGET_END BSNSING_PRAGMA(GCC pop_options)
#endif
