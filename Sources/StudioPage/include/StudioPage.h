#pragma once
// The files of the page, as bytes of the program.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name, *type;
    const void *bytes;
    size_t length;
} studio_page;

int32_t studio_page_count(void);
/// `index` from 0 to one below the count.
studio_page studio_page_file(int32_t index);
