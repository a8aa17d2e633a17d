/* What we expect of the processor. On 64-bit PCs: the instructions of 2009 and later (x86-64-v2), of which counting
 * bits matters most; module.c checks them before anything else runs. Everywhere else: nothing. */
#ifndef CROWNHEAD_PROCESSOR_H
#define CROWNHEAD_PROCESSOR_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("popcnt,ssse3,sse4.1,sse4.2")
#endif

#endif
