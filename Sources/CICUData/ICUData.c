#include "CICUData.h"

/// A table of contents in ICU's common data format, version 1, with no entry: whoever asks for a table is told that there is none
/// (`U_FILE_ACCESS_ERROR`), as by ICU's own `stubdata`.
/// https://unicode-org.github.io/icu/userguide/icu_data/#common-data-format (little endian, ASCII)
_Alignas(16) const unsigned char icudt76_dat[48] = {
    32, 0, 0xDA, 0x27,            // size of the header, ICU's magic number
    20, 0, 0, 0,                  // size of what follows up to the table, reserved
    0, 0, 2, 0,                   // little endian, ASCII, two bytes a character, reserved
    'T', 'o', 'C', 'P', 1, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,       // up to 32 bytes
    0, 0, 0, 0,                   // entries
};
