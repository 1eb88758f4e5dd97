/// Foundation brings 34 MB of ICU's tables along: calendars, languages, collation. Nothing here asks for any of them, and the linker leaves
/// them out where it finds this symbol first; see decision 29.
#pragma once

extern const unsigned char icudt76_dat[];
