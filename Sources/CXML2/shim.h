#pragma once
#include <libxml/xmlversion.h>
// Debian's headers bring in ICU's own, which clash with those that Foundation carries; only the encoders' structure differs without them.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/tree.h>

// xmlFree is a variable that holds a function, which Swift takes for shared mutable state.
static inline void fg_xml_free(void *memory) { xmlFree(memory); }
